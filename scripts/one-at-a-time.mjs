// One process at a time does what must not be done twice at once in one folder. Nothing but Node 20 built-ins may be used here.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const betweenLooksMs = 200;
/** Nothing takes this long: whoever has that number by now is another process. */
const maxMs = 60 * 60_000;

/** Does `work` while no other process does, by a file that names the one that does. `onWait` is told once who that is. */
export function oneAtATime(file, work, onWait) {
  mkdirSync(dirname(file), { recursive: true });
  for (let told = false; !take(file); ) {
    const holder = getHolder(file);
    if (holder === null) continue;
    if (isGone(file, holder)) takeAway(file, holder);
    else {
      if (!told) onWait(Number(holder));
      told = true;
      sleep(betweenLooksMs);
    }
  }
  try {
    return work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** The file appears with its words in it or not at all. */
function take(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function getHolder(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return null;
  }
}

function isGone(file, holder) {
  try {
    process.kill(Number(holder), 0);
  } catch (error) {
    return error.code === 'ESRCH';
  }
  const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  return Date.now() - since > maxMs;
}

/** Of several that find a dead holder one moves its file away. Who moved that of a living one by mistake gives it back. */
function takeAway(file, holder) {
  const away = `${file}.${process.pid}.gone`;
  try {
    renameSync(file, away);
    if (getHolder(away) !== holder) linkSync(away, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
  rmSync(away, { force: true });
}

function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
