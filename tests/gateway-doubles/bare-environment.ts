/**
 * Returns an environment for a program under test. Of this machine's own it contains only the search path for programs
 * and what the test run needs.
 */
export function bareEnvironment(given: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = '' } = process.env;
  const inherited = ofTests.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return Object.assign({ PATH }, Object.fromEntries(inherited), given);
}

/**
 * Variables that make child processes start faster, and that name the file in which they record the guards they
 * met (tests/proof/guards.ts).
 */
const ofTests = ['NODE_COMPILE_CACHE', 'PORTICO_REFUSALS', 'PORTICO_REFUSING'];
