"""Dask: Parquet in, Parquet out."""

from pathlib import Path
from tempfile import mkdtemp

import dask.dataframe
import pyarrow as pa
import pyarrow.parquet

from cantle_dataset import chunk_dask

if __name__ == "__main__":  # processes are started below
    folder = Path(mkdtemp())
    articles = {
        "id": ["tides", "ferries"],
        "text": ["The sea rises twice a day. The moon pulls it.", "Ferries run when the tide allows. Ask at the pier."],
        "year": [2024, 2025],
    }
    pyarrow.parquet.write_table(pa.table(articles), folder / "articles.parquet")

    documents = dask.dataframe.read_parquet(folder / "articles.parquet")
    chunks = chunk_dask(documents, "sentence", max_size=40, keep=["year"], errors="collect")
    chunks.to_parquet(folder / "chunks", compute_kwargs={"scheduler": "processes"})

    for row in (
        pyarrow.parquet.read_table(folder / "chunks")
        .sort_by([("document_id", "ascending"), ("start", "ascending")])
        .to_pylist()
    ):
        print(row["document_id"], row["year"], row["start"], row["text"])
