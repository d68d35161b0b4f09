/** For a program under test: nothing of the machine that runs the tests but where programs are, and what Node has compiled already. */
export function bareEnvironment(given: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = '' } = process.env;
  const kept = ofTests.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return Object.assign({ PATH }, Object.fromEntries(kept), given);
}

/** What makes a program that a test starts quicker, and where it notes which guards it has met (tests/proof/guards.ts). */
const ofTests = ['NODE_COMPILE_CACHE', 'PORTICO_REFUSALS', 'PORTICO_REFUSING'];
