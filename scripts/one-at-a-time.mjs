// Lets one process at a time do work that must not be done twice at once in one folder. Use nothing
// but Node 20 built-ins here.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const pollMs = 200;
/** No work takes this long. After that time the process id belongs to another process. */
const maxMs = 60 * 60_000;

/**
 * Does `work` while no other process does. A lock file names the process that does it. `onWait` is called
 * once with that process's id.
 */
export function oneAtATime(file, work, onWait) {
  mkdirSync(dirname(file), { recursive: true });
  for (let notified = false; !take(file); ) {
    const holder = getHolder(file);
    if (holder === null) continue;
    if (isGone(file, holder)) takeAway(file, holder);
    else {
      if (!notified) onWait(Number(holder));
      notified = true;
      sleep(pollMs);
    }
  }
  try {
    return work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** The file appears with its complete content or not at all. */
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

/**
 * If several processes find a dead holder, only one succeeds in moving its file away. A process that moved a living
 * holder's file by mistake puts it back.
 */
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
