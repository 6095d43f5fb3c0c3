/** A value that is made when it is first needed: what few processes need does not slow the start of the others. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
