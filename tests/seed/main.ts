import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError } from '#shared/errors.ts';
import { seed } from './seed.ts';

const help = `npm run seed -- --data-dir DIR --conversations N --messages M [options]

Fills a data folder with invented conversations (branches, code, tables, maths, costs) and a ledger that agrees with them.

  --data-dir DIR      the folder; must be empty or new, and not in use
  --conversations N   how many conversations
  --messages M        how many messages they have together, at least 2 N
  --long M2           one more conversation with M2 messages
  --requests R        how many requests the ledger has, those of the conversations included
  --seed S            the same number gives the same words and costs (1)
  --force             add to a folder that has data already
`;

const usageError = 2;

function fail(sentence: string, code: number): void {
  process.stderr.write(`portico: ${sentence}\n`);
  process.exitCode = code;
}

function parseInteger(name: string, text: string | undefined, otherwise: number | null): number {
  if (text === undefined && otherwise !== null) return otherwise;
  if (!/^\d{1,7}$/.test(text ?? '')) throw new TypeError(`--${name} must be a whole number, not "${text ?? ''}".`);
  return Number(text);
}

async function main(): Promise<void> {
  const string = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({
    options: {
      'data-dir': string,
      conversations: string,
      messages: string,
      long: string,
      requests: string,
      seed: string,
      force: flag,
      help: { ...flag, short: 'h' },
    },
  });
  if (values.help) return void process.stdout.write(help);
  if (!values['data-dir']) throw new TypeError('--data-dir needs a folder.');
  const start = performance.now();
  const made = await seed({
    dataFolder: resolve(values['data-dir']),
    conversations: parseInteger('conversations', values.conversations, null),
    messages: parseInteger('messages', values.messages, null),
    long: parseInteger('long', values.long, 0),
    requests: values.requests === undefined ? null : parseInteger('requests', values.requests, null),
    seed: parseInteger('seed', values.seed, 1),
    nowMs: Date.now(),
    force: values.force ?? false,
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(
    `${made.conversations} conversations, ${made.messages} messages, ${made.requests} requests in ${seconds} s\n`,
  );
}

process.umask(0o077);
await main().catch((error: unknown) => {
  if (error instanceof AppError) return fail(error.message, 1);
  if (error instanceof TypeError) return fail(`${error.message} See --help.`, usageError);
  throw error;
});
