/** Matches an id against a pattern in which `*` stands for anything. Linear: no pattern can make it slow. */
export function matchesGlob(pattern: string, id: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (!rest.length) return pattern === id;
  if (!id.startsWith(head)) return false;
  const tail = rest.pop() ?? '';
  let at = head.length;
  for (const piece of rest) {
    const found = id.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return id.length - tail.length >= at && id.endsWith(tail);
}

/** Whether a plan's list of models (`*` allowed, a leading `!` excludes) lets a model through. */
export function planAllows(patterns: readonly string[], id: string): boolean {
  const excluded = patterns.some((pattern) => pattern.startsWith('!') && matchesGlob(pattern.slice(1), id));
  return !excluded && patterns.some((pattern) => !pattern.startsWith('!') && matchesGlob(pattern, id));
}
