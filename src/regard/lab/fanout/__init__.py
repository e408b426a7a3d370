"""Fan-out of runs over the processes of one machine, or over a Ray cluster, into one store."""
