"""The audit log in the words of the service whose path we answer on, which is in Portuguese."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cantle_llm import PartitionResult

__all__ = ["audit_log"]


def audit_log(result: PartitionResult, *, asked_to_store: bool) -> list[str]:
    """What happened, a line for each step; numbers are those of the result."""
    total = result.total_lines
    covered = total - result.missing_count
    said = [
        "Iniciando particionamento de texto...",
        f"Texto dividido em {total} linha(s)",
        f"{result.sessions_used} sessão(ões) de IA necessária(s)",
    ]
    for failure in result.failures:
        first, last = failure.lines
        said.append(f"Sessão {failure.window + 1} (linhas {first}-{last}) falhou: {failure.reason}; divisão mecânica")
    said.append(f"{len(result.blocks)} bloco(s) montado(s)")
    # Rounded down: 100.0% is all of them.
    share = covered * 1000 // total / 10 if total else 100.0
    said.append(f"Cobertura: {share:.1f}% ({covered}/{total})")
    if result.success:
        said.append("Particionamento concluído com sucesso")
    else:
        said.append(f"Particionamento falhou: {result.reason}")
    if result.persisted is not None:
        said.append(f"{result.persisted.count} bloco(s) gravado(s) no dataset {result.persisted.dataset_id}")
    elif asked_to_store:
        said.append("Blocos não gravados")
    return [f"[SmartSplit] {line}" for line in said]
