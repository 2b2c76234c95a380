"""One run of the SQLMesh project beside this file. usage: sqlmesh_load.py PROJECT plan|run TIME"""

import sys

from sqlmesh import Context

project, step, time = sys.argv[1:]
context = Context(paths=project)
if step == "plan":
    context.plan("prod", auto_apply=True, no_prompts=True, execution_time=time)
else:
    context.run("prod", execution_time=time, ignore_cron=True)
