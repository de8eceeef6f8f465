"""How nodes stand to one another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from llama_index.core.schema import BaseNode, NodeRelationship, RelatedNodeInfo, TextNode

if TYPE_CHECKING:
    from cantle import Relation

__all__ = ["chain", "relate"]


def relate(
    nodes: Sequence[TextNode],
    sources: Sequence[RelatedNodeInfo | None],
    around: Sequence[bool],
    relations: Sequence[Relation],
) -> None:
    """Write the relationships of nodes.

    `sources` names the document of each, `around` tells of each but the last whether the next one is its neighbour,
    `relations` are those of their chunks, in the same order, or none.
    """
    for node, source in zip(nodes, sources, strict=True):
        if source is not None:
            node.relationships[NodeRelationship.SOURCE] = source
    infos = _Infos(nodes)
    _chain(nodes, around, infos)
    places = {relation.key: i for i, relation in enumerate(relations)}
    for node, relation in zip(nodes, relations, strict=False):
        if relation.parent is not None:
            node.relationships[NodeRelationship.PARENT] = infos.of(places[relation.parent])
        if relation.children:
            node.relationships[NodeRelationship.CHILD] = [infos.of(places[child]) for child in relation.children]


def chain(nodes: Sequence[BaseNode]) -> None:
    """Write `PREVIOUS` and `NEXT` of nodes: neighbours are those of the same source that stand side by side."""
    ids = [node.source_node.node_id if node.source_node else None for node in nodes]
    _chain(nodes, [one is not None and one == other for one, other in pairwise(ids)], _Infos(nodes))


def _chain(nodes: Sequence[BaseNode], around: Sequence[bool], infos: _Infos) -> None:
    for i, neighbours in enumerate(around):
        if neighbours:
            nodes[i].relationships[NodeRelationship.NEXT] = infos.of(i + 1)
            nodes[i + 1].relationships[NodeRelationship.PREVIOUS] = infos.of(i)


class _Infos:
    """What other nodes hold of each: made when it is asked for, once."""

    def __init__(self, nodes: Sequence[BaseNode]) -> None:
        self._nodes = nodes
        self._made: dict[int, RelatedNodeInfo] = {}

    def of(self, i: int) -> RelatedNodeInfo:
        if i not in self._made:
            node = self._nodes[i]
            # Without the metadata: up to five other nodes hold it, and stores write it with each.
            self._made[i] = RelatedNodeInfo(node_id=node.node_id, node_type=node.get_type(), hash=node.hash)
        return self._made[i]
