"""The wheel runs far from a checkout, and is built from no more than what the image gives the build."""

import asyncio
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import asyncpg
import pytest

from tests.packaging.dockerfile import ROOT, copied


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The contents of the wheel, as an installer lays them out."""
    context, wheels, site_packages = (tmp_path_factory.mktemp(name) for name in ("context", "wheels", "site-packages"))
    for name in copied():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, context / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif (ROOT / name).is_file():
            shutil.copy(ROOT / name, context / name)
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(wheels)]
    subprocess.run(build, cwd=context, check=True, capture_output=True)
    (wheel,) = wheels.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(site_packages)
    return site_packages


def run(installed: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the wheel's packages alone, from a folder that holds nothing."""
    return subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=installed.parent,
        env=os.environ | {"PYTHONPATH": str(installed)} | environment,
        capture_output=True,
        text=True,
        check=True,
    )


async def test_it_brings_the_migrations_and_makes_the_schema(installed: Path, empty_database_url: str) -> None:
    await asyncio.to_thread(run, installed, "-m", "service", "migrate", DATABASE_URL=empty_database_url)
    connection = await asyncpg.connect(empty_database_url)
    assert await connection.fetchval("SELECT to_regclass('es.events') IS NOT NULL")
    await connection.close()


def test_it_brings_every_file_that_is_not_python(installed: Path) -> None:
    """What lies beside the code in the checkout lies there in the wheel: rulebooks, labels, assets, the API's document."""
    for package in ("domain", "service"):
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert (installed / path.relative_to(ROOT)).is_file(), path
    for name in ("migrations", "openapi", "docs", "examples", "verify"):
        said = run(installed, "-c", f"from service import resources; print(resources.folder({name!r}))").stdout.strip()
        assert Path(said) == installed / "service" / "_data" / name
        for path in (ROOT / name).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert (Path(said) / path.relative_to(ROOT / name)).is_file(), path


def test_its_data_goes_where_the_system_keeps_a_users_data(installed: Path, tmp_path: Path) -> None:
    code = "from service.settings import read; import os; print(read(os.environ).data)"
    said = run(installed, "-c", code, HOME=str(tmp_path), XDG_DATA_HOME="", LUDICITUDE_DATA="").stdout.strip()
    assert said in (f"{tmp_path}/.local/share/ludicitude", f"{tmp_path}/Library/Application Support/ludicitude")


def test_it_makes_no_new_game_where_there_is_no_checkout(installed: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run(installed, "-m", "service", "new-game", "four-winds")
    assert failed.value.stderr.startswith("ludicitude: A new game is made in a checkout of Ludicitude")
    assert not (installed / "domain" / "games" / "four_winds").exists()
