import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { builtHosts } from '../hosts/built-hosts.ts';
import { seeded } from '../seed/random.ts';
import { eventually } from '../support/eventually.ts';
import { figure } from '../support/figures.ts';
import { readThread, readTotal } from '../support/read-thread.ts';
import { startWebProcess, type WebProcess } from '../support/web-process.ts';

/** `PORTICO_LONG=1` kills 100 times; the ordinary run 3 times. */
const rounds = process.env.PORTICO_LONG ? 100 : 3;
const chatsAtOnce = 3;
const { next: random } = seeded(4);

type Client = Awaited<ReturnType<WebProcess['connect']>>;

/** What the core acknowledged in one run, and what its database contained before the kill. */
interface Promised {
  /** Ids of the chats. */
  readonly chats: Set<string>;
  /** Texts of accepted messages, by id. */
  readonly questions: Map<string, string>;
  /** Answers that were begun, with the text if the core reported that the answer had ended. */
  readonly answers: Map<string, { status: string; text: string } | null>;
  /** The last draft that was sent and the last that was acknowledged. */
  readonly draft: { sent: number; taken: number };
  /** Text of running answers that was saved before the kill. */
  readonly saved: Map<string, string>;
}

const dataDir = mkdtempSync(join(tmpdir(), 'portico-kills-'));
let main: string;
let web: WebProcess | undefined;
let serial = 0;
beforeAll(async () => {
  main = (await builtHosts()).webMain;
});
afterAll(async () => {
  await web?.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

/**
 * Asks one question after another in one chat. A patient user waits for one long answer; the others stop some answers.
 */
async function converse(client: Client, promised: Promised, patient: boolean): Promise<never> {
  let conversationId: string | null = null;
  for (;;) {
    const messageId = `m${++serial}`;
    const text = `Message ${messageId}: ${'word '.repeat(Math.floor(random() * 40))}end.`;
    const model = !patient && random() < 0.6 ? 'sandbox/echo' : 'sandbox/slow';
    const started = await client.chat.send({ messageId, conversationId, text, model });
    conversationId = started.conversationId;
    promised.chats.add(conversationId);
    promised.questions.set(messageId, text);
    promised.answers.set(started.answerId, null);
    await readAnswer(client, promised, { ...started, stopAfter: patient ? Infinity : 1 + Math.floor(random() * 30) });
  }
}

async function readAnswer(
  client: Client,
  { answers }: Promised,
  { conversationId, answerId, stopAfter }: { conversationId: string; answerId: string; stopAfter: number },
) {
  let deltas = 0;
  for await (const event of await client.chat.watch({ conversationId })) {
    if (event.type === 'snapshot' && !event.answers.some(({ id }) => id === answerId)) return;
    if (event.type === 'text-delta' && ++deltas === stopAfter) await client.chat.stop({ answerId });
    if (event.type !== 'message-updated' || event.message.id !== answerId) continue;
    const { status, text } = event.message;
    answers.set(answerId, { status, text });
    return;
  }
}

/** Types in the composer of a new chat. */
async function type(client: Client, { draft }: Promised): Promise<never> {
  for (;;) {
    draft.sent += 1;
    await client.drafts.put({ chat: 'new', draft: { text: `Draft ${draft.sent}`, attachments: [], model: null } });
    draft.taken = draft.sent;
  }
}

/** Reads the saved text of running answers as a second reader of the database. */
function savedAnswers() {
  const db = new Sqlite(join(dataDir, 'portico.db'), { readonly: true });
  const rows = db.prepare("select id, conversation_id as chat, text from messages where status = 'streaming'").all();
  db.close();
  return rows as { id: string; chat: string; text: string }[];
}

/** Runs the core until kill -9 at a random moment. */
async function runUntilKilled(firstDraft: number): Promise<Promised> {
  const promised: Promised = {
    chats: new Set(),
    questions: new Map(),
    answers: new Map(),
    saved: new Map(),
    draft: { sent: firstDraft, taken: firstDraft },
  };
  const process = await startWebProcess(main, ['--data-dir', dataDir]);
  web = process;
  const client = await process.connect();
  const users = Array.from({ length: chatsAtOnce }, (_, chat) => converse(client, promised, chat === 0));
  const moment = (async () => {
    await eventually(() => expect(savedAnswers().some(({ text }) => text !== '')).toBe(true), {
      interval: 10,
    });
    // The moment may be during a save, between two saves, or while a question is being sent.
    await passed(random() * 1_500);
  })();
  // A call that fails before the kill fails the test. Calls that the kill interrupts are ignored.
  await Promise.race([moment, ...users, type(client, promised)]);
  for (const { id, chat, text } of savedAnswers()) {
    promised.chats.add(chat);
    promised.saved.set(id, text);
  }
  await process.kill('SIGKILL');
  return promised;
}

/** Expects that everything acknowledged is stored and that nothing is still running. */
async function expectStored(client: Client, { chats, questions, answers, saved, draft }: Promised) {
  const threads = await Promise.all([...chats].map((id) => readThread(client, id, { limit: 400 })));
  const messages = new Map(threads.flatMap((thread) => thread.messages.map((message) => [message.id, message])));
  for (const [id, text] of questions) expect(messages.get(id)).toMatchObject({ role: 'user', text });
  for (const [id, end] of answers) {
    const stored = messages.get(id);
    if (end) expect(stored).toMatchObject(end);
    else expect(['interrupted', 'done', 'cancelled']).toContain(stored?.status);
  }
  for (const [id, words] of saved) expect(messages.get(id)?.text.slice(0, words.length)).toBe(words);
  const { text } = await client.drafts.get({ chat: 'new' });
  if (draft.sent > 0) expect([draft.taken, draft.sent].map((number) => `Draft ${number}`)).toContain(text);
  return [...messages.values()];
}

/** Returns the remaining test credits and the sum of what all chats cost, in nano-USD. */
async function sums(client: Client) {
  const billingAccount = (await client.account.wallets()).find(({ id }) => id === 'sandbox');
  const { conversations } = await client.conversations.list({ limit: 500 });
  const totals = await Promise.all(conversations.map(({ id }) => readTotal(client, id)));
  return {
    held: billingAccount?.balance?.held,
    left: parseUsd(billingAccount?.balance?.amount ?? '0'),
    shown: totals.reduce((sum, { testCreditsUsd }) => sum + parseUsd(testCreditsUsd), 0n),
  };
}

async function chargedByLedger(client: Client): Promise<bigint> {
  let charged = 0n;
  for (let after: string | null = null; ; ) {
    const { transactions } = await client.credits.get({ billingAccount: 'sandbox', limit: 100, after });
    for (const { type: kind, amount } of transactions.data) if (kind === 'usage') charged -= parseUsd(amount);
    after = transactions.data.at(-1)?.id ?? null;
    if (!transactions.has_more) return charged;
  }
}

test(`kill -9 at ${rounds} moments while three chats stream and a draft is typed loses nothing that was acknowledged`, {
  timeout: rounds * 60_000,
}, async () => {
  const all: Promised[] = [];
  const counts = { questions: 0, drafts: 0, saved: 0, interrupted: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const promised = await runUntilKilled(all.at(-1)?.draft.sent ?? 0);
    all.push(promised);
    web = await startWebProcess(main, ['--data-dir', dataDir]);
    const client = await web.connect();
    const stored = await expectStored(client, promised);
    await eventually(async () => {
      const { held, left, shown } = await sums(client);
      expect({ held, shown }).toEqual({ held: '0', shown: parseUsd('10') - left });
    });
    counts.questions += promised.questions.size;
    counts.drafts = promised.draft.taken;
    counts.saved += [...promised.saved.values()].filter((words) => words !== '').length;
    counts.interrupted += stored.filter(({ status }) => status === 'interrupted').length;
    await web.kill('SIGKILL');
  }
  web = await startWebProcess(main, ['--data-dir', dataDir]);
  const client = await web.connect();
  for (const { draft: _, ...promised } of all)
    await expectStored(client, { ...promised, draft: { sent: 0, taken: 0 } });
  expect(await chargedByLedger(client)).toBe((await sums(client)).shown);
  process.stdout.write(`kept over ${rounds} kills: ${JSON.stringify(counts)}\n`);
  for (const count of Object.values(counts)) expect(count).toBeGreaterThanOrEqual(rounds);
  figure('killed app', `${rounds} kills with ${counts.questions} questions and ${counts.drafts} drafts, 0 lost`);
});
