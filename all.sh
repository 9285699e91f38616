cd /tmp/t2
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1; unset PYTHONDONTWRITEBYTECODE
r() { [ -d h_$1 ] || python3 mk.py $1; nice -n 10 /work/w/tcut2/.venv/bin/python matrix.py /tmp/t2/h_$1 $2 /tmp/t2/r_$1.json 2>&1 | tail -3; }
r none own,twins,helpers,lent,replaced,patches,hidden,found,unasked
for h in both lends derivs helpers twins own; do r $h own,twins,helpers,lent; done
for h in belongs belongs_nodes belongs_mro passes another made backward prog_name eng_name twice; do r $h twins,helpers,lent,unasked; done
for h in watched beside putback changed code; do r $h replaced,patches,hidden; done
for h in door runner runner_src main; do r $h runner,own; done
r fast helpers,templates
