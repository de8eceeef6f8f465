"""Spark: Parquet in, Parquet out."""

import os
import sys
from pathlib import Path
from tempfile import mkdtemp

from pyspark.sql import SparkSession

from cantle_dataset import chunk_dataframe

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # on this machine: the Python that has cantle-dataset
spark = (
    SparkSession.builder.master("local[2]")  # in a cluster: leave it to spark-submit
    .config("spark.driver.memory", "1g")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
    .getOrCreate()
)
folder = Path(mkdtemp())
articles = [
    ("tides", "The sea rises twice a day. The moon pulls it.", 2024),
    ("ferries", "Ferries run when the tide allows. Ask at the pier.", 2025),
]
spark.createDataFrame(articles, "id string, text string, year int").write.parquet(str(folder / "articles"))

documents = spark.read.parquet(str(folder / "articles"))
chunks = chunk_dataframe(documents, "sentence", max_size=40, keep=["year"], errors="collect", timeout=60)
chunks.write.parquet(str(folder / "chunks"))

for row in spark.read.parquet(str(folder / "chunks")).orderBy("document_id", "start").collect():
    print(row["document_id"], row["year"], row["start"], row["text"])
spark.stop()
