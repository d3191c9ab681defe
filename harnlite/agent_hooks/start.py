"""The file that coding agents start: `python -I -S start.py hook --agent X --script F EVENT`.

It works without `site`, finds its packages itself, and ends with status 0 whatever happens, because other statuses
block tool calls in some agents.
"""

import gc
import os
import sys


def main() -> None:
    """Answer one call and exit."""
    status = 0
    gc.disable()  # The process ends within seconds, and collections while modules load take milliseconds.
    try:
        sys.path[:0] = _package_folders()
        from harnlite.agent_hooks.hook_process import run_hook

        arguments = sys.argv[1:]
        status = run_hook(arguments[1:] if arguments[:1] == ["hook"] else arguments)
    except BaseException:  # noqa: BLE001 - whatever happens, the agent must not notice it
        status = 0
    os._exit(status)


def _package_folders() -> list[str]:
    """Return the folder of the harnlite package and, if harnlite is not installed there, that of other packages."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if os.path.basename(root) in {"site-packages", "dist-packages"}:
        return [root]
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    environment = os.path.dirname(os.path.dirname(os.path.abspath(sys.executable)))
    places = [os.path.join(environment, "lib", version, "site-packages")]
    places.append(os.path.join(environment, "Lib", "site-packages"))
    if not os.path.isfile(os.path.join(environment, "pyvenv.cfg")):
        places.append(os.path.join(environment, "lib", version, "dist-packages"))
        places.append(os.path.join(environment, "lib", "python3", "dist-packages"))
    return [root, *(place for place in places if os.path.isdir(place))]


if __name__ == "__main__":
    main()
