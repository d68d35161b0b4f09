import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { z } from 'zod';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { isUnusable } from '../runtime/log/is-unusable.ts';
import { failureEntry, type Log } from '../runtime/log/log.ts';

const words = z.object({ text: z.string(), reasoning: z.string() });
const line = z.object({ id: z.string(), textAt: z.int(), reasoningAt: z.int(), added: words });

type Words = z.infer<typeof words>;
type Line = z.infer<typeof line>;
type Answer = Pick<Message, 'id' | 'text' | 'reasoning'>;

/**
 * Appends the text of running answers to a file before it is shown. The system's page cache has it then, so it survives
 * any crash of this process. A power cut can lose it: only the database survives that.
 */
export interface WordLog {
  /** Logs the next text of an answer. `answer` is the answer before it. */
  add(answer: Answer, added: Words): void;
  /** Called when the database has the complete answer. The file is emptied once that is true of all answers. */
  stored(id: string): void;
  close(): void;
}

/**
 * Opens an empty log, so read the file of the previous process before. If the file can't be written, for example on a
 * full disk, one line is logged and answers continue without it.
 */
export function openWordLog(path: string, log: Log): WordLog {
  const file = openedFile(path, log);
  const running = new Set<string>();
  let end = 0;
  let closed = false;
  let hasFailed = false;

  function attempt(work: (file: number) => void): void {
    if (file === null) return;
    try {
      work(file);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log({ event: 'word_log_failed', ...failureEntry(error) });
      hasFailed = true;
    }
  }

  return {
    add({ id, text, reasoning }, added) {
      running.add(id);
      const next: Line = { id, textAt: text.length, reasoningAt: reasoning.length, added };
      attempt((file) => {
        end += writeSync(file, `${JSON.stringify(next)}\n`, end);
      });
    },
    stored(id) {
      running.delete(id);
      if (running.size > 0) return;
      end = 0;
      attempt((file) => ftruncateSync(file));
    },
    close() {
      // A second close could hit another file with the same descriptor.
      if (!closed && file !== null) closeSync(file);
      closed = true;
    },
  };
}

function openedFile(path: string, log: Log): number | null {
  try {
    if (!isUnusable(path, 'file')) return openSync(path, 'w', 0o600);
    log({ event: 'word_log_failed', why: 'unusable' });
  } catch (error) {
    log({ event: 'word_log_failed', ...failureEntry(error) });
  }
  return null;
}

/** Completes answers that the database has in part, from the file of the previous process. */
export function readWordLog(path: string): (answer: Answer) => Words {
  const text = existsSync(path) && !isUnusable(path, 'file') ? readFileSync(path, 'utf8') : '';
  const lines = Map.groupBy(text.split('\n').flatMap(readLine), ({ id }) => id);
  return (answer) => {
    const whole = { text: answer.text, reasoning: answer.reasoning };
    for (const { textAt, reasoningAt, added } of lines.get(answer.id) ?? []) {
      whole.text = extended(whole.text, textAt, added.text);
      whole.reasoning = extended(whole.reasoning, reasoningAt, added.reasoning);
    }
    return whole;
  };
}

/** Parses a line. Returns nothing for an empty line, or one that a power cut left incomplete. */
function readLine(text: string): Line[] {
  try {
    return [line.parse(JSON.parse(text))];
  } catch {
    return [];
  }
}

const extended = (saved: string, at: number, added: string): string =>
  at <= saved.length ? saved + added.slice(saved.length - at) : saved;
