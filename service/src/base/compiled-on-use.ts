/**
 * Compiles a schema when it is first used, once per process: compiling those of all routes took half of the CPU time of a
 * start, and most of them have a schema that others have too (problems).
 */
export function compiledOnUse<Schema extends object, Compiled>(
  compile: (schema: Schema) => Compiled,
): (schema: Schema) => () => Compiled {
  const known = new WeakMap<Schema, Compiled>();
  return (schema) => () => {
    let compiled = known.get(schema);
    if (compiled === undefined) {
      compiled = compile(schema);
      known.set(schema, compiled);
    }
    return compiled;
  };
}
