"""Spark Connect: the same in a client without Java."""

import os
import sys

from pyspark.sql import SparkSession

from cantle_dataset import chunk_dataframe

# A server of Spark Connect is sc://HOST:15002; local[2] begins one on this machine, for which Java is needed after all.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
spark = SparkSession.builder.remote(os.environ.get("SPARK_REMOTE", "local[2]")).getOrCreate()
documents = spark.createDataFrame(
    [("tides", "The sea rises twice a day. The moon pulls it."), ("ferries", "Ferries run when the tide allows.")],
    "id string, text string",
)
chunks = chunk_dataframe(documents, "sentence", max_size=40)
for row in chunks.orderBy("document_id", "start").collect():
    print(row["document_id"], row["start"], row["text"])
spark.stop()
