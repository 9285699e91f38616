"""The smallest module that the worker can run jobs with."""

TEXT = """
def run_job(job, engine):
    return {"text": job["say"], "problem": None}

def get_ready(engine):
    pass
"""
