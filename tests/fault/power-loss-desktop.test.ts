import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDb } from '#core/storage/database/db.ts';
import { builtHosts } from '../hosts/built-hosts.ts';
import { seeded } from '../seed/random.ts';
import {
  createDisk,
  type Fate,
  powerLossMissing,
  readTrace,
  recorderFor,
  type TraceEvent,
} from '../support/power-loss.ts';
import { readUntil } from '../support/test-core.ts';
import { startWebProcess } from '../support/web-process.ts';

/** Power is cut at every acknowledgement, so there are as many cuts as both together. */
const questions = 25;
const drafts = 25;
const cuts = questions + drafts;

const missing = powerLossMissing();
const workplace = mkdtempSync(join(tmpdir(), 'portico-desktop-power-'));
afterAll(() => rmSync(workplace, { recursive: true, force: true }));

interface Acknowledged {
  readonly kind: 'message' | 'draft';
  /** The message's id, or the draft's chat. */
  readonly id: string;
  readonly text: string;
  /** The length of the recording when the client had read the acknowledgement. */
  readonly bytes: number;
}

let events: TraceEvent[] = [];
/** Where each event ends in the recording. */
let ends: number[] = [];
const acknowledged: Acknowledged[] = [];

describe.skipIf(missing !== null)(`a power cut under the chats (${missing ?? `${cuts} cuts`})`, () => {
  beforeAll(async () => {
    const folder = join(workplace, 'data');
    mkdirSync(folder);
    const recorder = recorderFor(folder, workplace);
    const { webMain } = await builtHosts();
    const web = await startWebProcess(webMain, ['--data-dir', folder], recorder.env);
    const client = await web.connect();
    const acknowledge = (acknowledgement: Omit<Acknowledged, 'bytes'>) =>
      acknowledged.push({ ...acknowledgement, bytes: statSync(recorder.trace).size });
    // Drafts are typed while nothing else is written, so that no other sync can make them durable.
    for (let index = 0; index < drafts; index += 1) {
      const text = `Draft ${index}`;
      await client.drafts.put({ chat: `chat-${index}`, draft: { text, attachments: [], model: null } });
      acknowledge({ kind: 'draft', id: `chat-${index}`, text });
    }
    let conversationId: string | null = null;
    for (let index = 0; index < questions; index += 1) {
      const [messageId, text] = [`m${index}`, `Question ${index}`];
      const started = await client.chat.send({ messageId, conversationId, text, model: 'sandbox/echo' });
      acknowledge({ kind: 'message', id: messageId, text });
      conversationId = started.conversationId;
      await readUntil(await client.chat.watch({ conversationId }), (seen) =>
        seen.some((event) =>
          event.type === 'snapshot'
            ? event.answers.length === 0
            : event.type === 'message-updated' && event.message.id === started.answerId,
        ),
      );
    }
    await web.kill('SIGTERM');
    events = readTrace(recorder.trace);
    let bytes = 0;
    ends = events.map(({ file, data }) => {
      bytes += 16 + Buffer.byteLength(file) + data.length;
      return bytes;
    });
  }, 180_000);

  /**
   * Returns the index of the event that acknowledged it: for a message the answer that names it, for a draft the last
   * event before its acknowledgement was read.
   */
  function findMoment({ kind, id, bytes }: Acknowledged): number {
    if (kind === 'draft') return ends.findLastIndex((end) => end <= bytes);
    const words = ['userMessageId', `"${id}"`];
    const index = events.findIndex(
      (event) => event.kind === 'sent' && words.every((word) => event.data.includes(word)),
    );
    if (index < 0) throw new Error(`nothing was sent about message ${id}`);
    return index;
  }

  /** Cuts the power at every acknowledgement. Returns everything that had been acknowledged by then and is missing. */
  async function lostAt(fate: (cut: number) => Fate, logIsSynced: (event: number) => boolean) {
    let applied = 0;
    const disk = createDisk((sync) => sync.file !== 'portico.db-wal' || logIsSynced(applied));
    const lost: string[] = [];
    for (const [number, acknowledgement] of acknowledged.entries()) {
      const cut = findMoment(acknowledgement);
      for (; applied <= cut; applied += 1) {
        const event = events[applied];
        if (event) disk.apply(event);
      }
      const folder = join(workplace, `cut-${number}`);
      disk.cut(folder, fate(cut));
      lost.push(...(await missingIn(join(folder, 'portico.db'), acknowledged.slice(0, number + 1))));
      rmSync(folder, { recursive: true, force: true });
    }
    return lost;
  }

  async function missingIn(file: string, promised: readonly Acknowledged[]): Promise<string[]> {
    const db = await openDb(file);
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
    const messages = await db.selectFrom('messages').select(['id', 'text']).execute();
    const typed = await db.selectFrom('drafts').select(['chat as id', 'text']).execute();
    await db.destroy();
    const found = { message: messages, draft: typed };
    const gone = promised.filter(
      (acknowledgement) =>
        !found[acknowledgement.kind].some(({ id, text }) => id === acknowledgement.id && text === acknowledgement.text),
    );
    return [
      ...rows.filter((row) => row.integrity_check !== 'ok').map((row) => row.integrity_check),
      ...gone.map(({ kind, id }) => `${kind} ${id}`),
    ];
  }

  const keepNothing = (): Fate => () => 'lost';
  const byChance = (cut: number): Fate => {
    const random = seeded(cut);
    return () => random.pick(['lost', 'kept', 'torn'] as const);
  };

  test('loses no acknowledged message or draft when all unsynced data is lost', async () => {
    expect(acknowledged).toHaveLength(cuts);
    expect(await lostAt(keepNothing, () => true)).toEqual([]);
  });

  test('loses nothing when parts of the unsynced data reached the disk, torn and out of order', async () => {
    expect(await lostAt(byChance, () => true)).toEqual([]);
  });

  test('control: the same cuts lose data when commits do not sync the log, as with synchronous=NORMAL', async () => {
    const [first] = acknowledged;
    const opened = first ? findMoment(first) : -1;
    const lost = await lostAt(keepNothing, (event) => event <= opened);
    expect(lost.filter((item) => item.startsWith('draft')).length).toBeGreaterThan(0);
    expect(lost.filter((item) => item.startsWith('message')).length).toBeGreaterThan(0);
  });
});
