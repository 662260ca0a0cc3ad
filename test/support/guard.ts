/** A shell script that runs a program until standard input is closed, also by the end of this process. */
export const GUARD = `"$@" & pid=$!; read -r _; kill "$pid"; wait "$pid"`;
