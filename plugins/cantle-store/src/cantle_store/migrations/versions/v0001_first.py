"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from cantle_store.tables import AnyText, Json, Moment, Vector

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

PK = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

# Postgres keeps samples of values for its planner, which stay when their rows are gone. Of these it needs none.
NO_SAMPLES = {
    "chunks": ("key", "source", "text", "content", "prefix", "spans", "path", "metadata", "embedding"),
    "documents": ("source", "origin", "metadata"),
}


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "hosts",
        sa.Column("id", AnyText(), nullable=False),
        sa.Column("created", Moment(), nullable=False),
        sa.Column("updated", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "avatars",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("host_id", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("main", sa.Boolean(), nullable=False),
        sa.Column("created", Moment(), nullable=False),
        sa.Column("updated", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_avatars_host_id"), "avatars", ["host_id"], unique=False)
    op.create_index(
        "ux_avatars_main",
        "avatars",
        ["host_id"],
        unique=True,
        sqlite_where=sa.text("main = 1"),
        postgresql_where=sa.text("main"),
    )
    op.create_table(
        "roles",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("host_id", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("rules", Json(), nullable=False),
        sa.Column("created", Moment(), nullable=False),
        sa.Column("updated", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_roles_host_id"), "roles", ["host_id"], unique=False)
    op.create_table(
        "datasets",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("host_id", AnyText(), nullable=False),
        sa.Column("avatar_id", sa.Text(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("embedder", AnyText(), nullable=True),
        sa.Column("dimension", sa.Integer(), nullable=True),
        sa.Column("created", Moment(), nullable=False),
        sa.Column("updated", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["avatar_id"], ["avatars.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_datasets_avatar_id"), "datasets", ["avatar_id"], unique=False)
    op.create_index(op.f("ix_datasets_host_id"), "datasets", ["host_id"], unique=False)
    op.create_table(
        "documents",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("host_id", AnyText(), nullable=False),
        sa.Column("dataset_id", sa.Text(), nullable=False),
        sa.Column("source", AnyText(), nullable=False),
        sa.Column("origin", AnyText(), nullable=False),
        sa.Column("config_hash", sa.Text(), nullable=False),
        sa.Column("metadata", Json(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("created", Moment(), nullable=False),
        sa.Column("updated", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_documents_dataset_id"), "documents", ["dataset_id"], unique=False)
    op.create_index(op.f("ix_documents_host_id"), "documents", ["host_id"], unique=False)
    op.create_table(
        "chunks",
        sa.Column("pk", PK, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("host_id", AnyText(), nullable=False),
        sa.Column("dataset_id", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("key", AnyText(), nullable=False),
        sa.Column("source", AnyText(), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("words", sa.Integer(), nullable=False),
        sa.Column("text", AnyText(), nullable=False),
        sa.Column("content", AnyText(), nullable=False),
        sa.Column("prefix", AnyText(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=False),
        sa.Column("spans", Json(), nullable=True),
        sa.Column("overlap", sa.Integer(), nullable=False),
        sa.Column("path", Json(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("embed_hash", sa.Text(), nullable=False),
        sa.Column("config_hash", sa.Text(), nullable=False),
        sa.Column("metadata", Json(), nullable=False),
        sa.Column("embedding", Vector(), nullable=True),
        sa.Column("created", Moment(), nullable=False),
        sa.Column("updated", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["host_id"], ["hosts.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("pk"),
        sa.UniqueConstraint("id"),
    )
    op.create_index("ix_chunks_dataset_embed_hash", "chunks", ["dataset_id", "embed_hash"], unique=False)
    # The chunks of documents, and how many words each has, are read from the index alone.
    op.create_index("ix_chunks_document_id", "chunks", ["document_id", "words"], postgresql_include=["pk"])
    op.create_index(op.f("ix_chunks_host_id"), "chunks", ["host_id"], unique=False)
    op.create_table(
        "document_labels",
        sa.Column("pk", PK, autoincrement=True, nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("key", AnyText(), nullable=False),
        sa.Column("value", AnyText(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("pk"),
    )
    # Of one document or chunk first: a search looks up what each has, and must not walk through those of all others.
    op.create_index("ix_document_labels_document_id", "document_labels", ["document_id", "key", "value"], unique=False)
    op.create_index("ix_document_labels_key_value", "document_labels", ["key", "value"], unique=False)
    op.create_table(
        "chunk_labels",
        sa.Column("pk", PK, autoincrement=True, nullable=False),
        sa.Column("chunk_pk", PK, nullable=False),
        sa.Column("key", AnyText(), nullable=False),
        sa.Column("value", AnyText(), nullable=False),
        sa.ForeignKeyConstraint(["chunk_pk"], ["chunks.pk"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("pk"),
    )
    op.create_index("ix_chunk_labels_chunk_pk", "chunk_labels", ["chunk_pk", "key", "value"], unique=False)
    # What a text is found by: words in one spelling (see `terms`), kept apart from the chunks since the two databases
    # index words in their own ways.
    if op.get_bind().dialect.name == "postgresql":
        op.create_table(
            "chunk_terms",
            sa.Column("chunk_pk", sa.BigInteger(), nullable=False),
            sa.Column("terms", sa.dialects.postgresql.TSVECTOR(), nullable=False),
            sa.ForeignKeyConstraint(["chunk_pk"], ["chunks.pk"], ondelete="CASCADE"),
            sa.PrimaryKeyConstraint("chunk_pk"),
        )
        op.create_index("ix_chunk_terms_terms", "chunk_terms", ["terms"], postgresql_using="gin")
        for table, columns in NO_SAMPLES.items():
            for column in columns:
                op.execute(f'ALTER TABLE {table} ALTER COLUMN "{column}" SET STATISTICS 0')
    else:
        # Which chunks have a token is all that is asked for: no positions, no lengths.
        op.execute(
            "CREATE VIRTUAL TABLE chunk_terms USING "
            "fts5(terms, tokenize = \"ascii tokenchars '/'\", detail = none, columnsize = 0)"
        )
