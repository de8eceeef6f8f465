"""`cantle serve`: the service."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("serve", short_help="Serve cantle over HTTP.")
@click.option("--dev", is_flag=True)
@click.option("--port", type=int, default=8000)
def command(dev: bool, port: int) -> None:
    """Serve."""
    import uvicorn

    from ..app import create_app
    from ..auth import issue_token
    from ..settings import Settings

    app = create_app(Settings.of({"dev": dev or None, "port": port}))
    if dev:
        click.echo(issue_token(app.state.settings.secret, "dev", "dev", expires_in=86_400))
    uvicorn.run(app, port=port, log_config=None, access_log=False)
