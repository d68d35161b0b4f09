/** For a program under test: nothing of the machine that runs the tests but where programs are, and what Node has compiled already. */
export function bareEnvironment(given: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}), ...given };
}
