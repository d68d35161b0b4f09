import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppError } from '#shared/errors.ts';
import { lockDataFolder } from '../../electron/core/core.ts';
import { buildCatalogue } from '../../gateway/models/catalogue/build-catalogue.ts';
import { sandboxModels } from '../../gateway/providers/registry.ts';
import { seeded } from './random.ts';
import { conversations, requestFor, type World, type WorldSize } from './world.ts';
import { writeChats } from './write-chats.ts';
import { writeLedger } from './write-ledger.ts';

export interface SeedOptions extends WorldSize {
  readonly dataFolder: string;
  /** Requests in the ledger, including those of the chats. Null means only those. */
  readonly requests: number | null;
  readonly seed: number;
  /** The newest message is about this old, in epoch milliseconds. */
  readonly nowMs: number;
  /** Whether to add to a folder that already has data. */
  readonly force: boolean;
}

export interface Seeded {
  readonly conversations: number;
  readonly messages: number;
  readonly requests: number;
}

const families = ['anthropic/claude-sonnet-5', 'openai/gpt-5', 'google/gemini-3.5-flash', 'openai/gpt-5-mini'];
const rarer = ['anthropic/claude-haiku-4-5', 'anthropic/claude-opus-5', 'openai/o3', 'sandbox/tour'];
const dayMs = 86_400_000;

/**
 * Fills a data folder. Refuses a folder that is in use or has data, and counts that can't be met, with an explanation.
 */
export async function seed(options: SeedOptions): Promise<Seeded> {
  const { dataFolder, nowMs, force } = options;
  if (options.messages < 2 * options.conversations) {
    throw new AppError(
      'invalid_input',
      '--messages must be at least twice --conversations: a chat has a question and an answer.',
    );
  }
  const unlock = lockDataFolder(dataFolder);
  try {
    if (!force) refuseData(dataFolder);
    const random = seeded(options.seed);
    const catalogue = buildCatalogue(new Date(nowMs).toISOString().slice(0, 10), sandboxModels).models;
    const models = [...families, ...rarer].flatMap((id) => catalogue.find((model) => model.id === id) ?? []);
    const world: World = { random, models, nowMs, pinned: Math.min(0.1, 4 / options.conversations) };
    const chats = [...conversations(world, options)];
    const requests = chats.flatMap(({ messages }) => messages.flatMap(({ request }) => request ?? []));
    const wanted = options.requests ?? requests.length;
    if (wanted < requests.length) {
      throw new AppError(
        'invalid_input',
        `--requests must be at least ${requests.length}: each answer of the chats is one.`,
      );
    }
    await writeChats(dataFolder, chats, nowMs);
    const paid = models.filter((model) => !model.simulated);
    while (requests.length < wanted) {
      const created = nowMs - Math.round(random.next() ** 1.5 * 240 * dayMs) - 600_000;
      const model = random.often(paid);
      const context = random.between(0, 6000);
      const text = 'x'.repeat(random.between(80, 2400));
      requests.push(requestFor(world, model, { id: null, created, context, sentBefore: context, text }));
    }
    await writeLedger(dataFolder, requests, random, nowMs);
    const extra = options.long > 0 ? 1 : 0;
    return {
      conversations: options.conversations + extra,
      messages: options.messages + options.long,
      requests: requests.length,
    };
  } finally {
    unlock();
  }
}

/** Invented chats must never be mixed with a user's own chats and ledger by accident. */
function refuseData(folder: string): void {
  for (const [file, table] of [
    ['portico.db', 'conversations'],
    ['gateway.db', 'ledger_entries'],
  ] as const) {
    if (existsSync(join(folder, file)) && hasRows(join(folder, file), table)) {
      throw new AppError(
        'data_folder_unavailable',
        `The data folder ${folder} has data already (${file}). Name an empty one, or add --force to mix in invented chats.`,
      );
    }
  }
}

function hasRows(path: string, table: string): boolean {
  const db = new Sqlite(path, { readonly: true });
  try {
    const known = db.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(table);
    return known !== undefined && db.prepare(`select 1 from ${table} limit 1`).get() !== undefined;
  } finally {
    db.close();
  }
}
