"""Ray Data: Parquet in, Parquet out."""

from pathlib import Path
from tempfile import mkdtemp

import pyarrow as pa
import pyarrow.parquet
import ray

from cantle_dataset import chunk_dataset

folder = Path(mkdtemp())
articles = {
    "id": ["tides", "ferries"],
    "text": ["The sea rises twice a day. The moon pulls it.", "Ferries run when the tide allows. Ask at the pier."],
    "year": [2024, 2025],
}
pyarrow.parquet.write_table(pa.table(articles), folder / "articles.parquet")

ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200_000_000)  # in a cluster: ray.init()
documents = ray.data.read_parquet(str(folder / "articles.parquet"))
chunks = chunk_dataset(documents, "sentence", max_size=40, keep=["year"], errors="collect", timeout=60)
chunks.write_parquet(str(folder / "chunks"))
ray.shutdown()

for row in (
    pyarrow.parquet.read_table(folder / "chunks")
    .sort_by([("document_id", "ascending"), ("start", "ascending")])
    .to_pylist()
):
    print(row["document_id"], row["year"], row["start"], row["text"])
