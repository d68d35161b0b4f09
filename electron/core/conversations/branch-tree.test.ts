import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readThread } from '../../../tests/support/read-thread.ts';
import { testCore } from '../../../tests/support/test-core.ts';

/** Set `PORTICO_TREE_RUNS=1000` for a long run. */
const numRuns = Number(process.env.PORTICO_TREE_RUNS ?? 15);

let core: Awaited<ReturnType<typeof testCore>>;
beforeAll(async () => {
  core = await testCore();
});
afterAll(() => core.close());

const step = fc.record({
  do: fc.constantFrom('send', 'edit', 'again', 'answer', 'show', 'left', 'right', 'remove', 'undo', 'restore'),
  which: fc.nat(1000),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Node {
  readonly parent: string | null;
  readonly role: 'user' | 'assistant';
}

/** A model of the tree with the simplest rules that are right. The test compares the real tree with it. */
function modelTree() {
  const nodes = new Map<string, Node>();
  const gone = new Map<string, Set<string>>();
  const isThere = (id: string) => ![...gone.values()].some((ids) => ids.has(id));
  const there = () => [...nodes.keys()].filter(isThere);
  return {
    nodes,
    gone,
    there,
    below(id: string): Set<string> {
      const all = new Set([id]);
      for (const [child, { parent }] of nodes) if (parent && all.has(parent) && isThere(child)) all.add(child);
      return all;
    },
    siblings: (id: string) => there().filter((other) => nodes.get(other)?.parent === nodes.get(id)?.parent),
    path(id: string): string[] {
      const path: string[] = [];
      for (let node: string | null = id; node; node = nodes.get(node)?.parent ?? null) path.unshift(node);
      return path;
    },
    isLeaf: (id: string) => !there().some((child) => nodes.get(child)?.parent === id),
  };
}

const isSettled = async (id: string) =>
  expect.poll(async () => (await readThread(core.client, id)).runningIds, { interval: 1 }).toEqual([]);

async function play(steps: readonly Step[]): Promise<void> {
  const { client } = core;
  const tree = modelTree();
  const begun = await client.chat.send({ messageId: randomUUID(), text: 'begin', model: 'openai/gpt' });
  const { conversationId: id } = begun;
  await isSettled(id);
  tree.nodes.set(begun.userMessageId, { parent: null, role: 'user' });
  tree.nodes.set(begun.answerId, { parent: begun.userMessageId, role: 'assistant' });
  const shown = async () => (await readThread(client, id, { limit: 400 })).messages;
  const pick = (which: number, role?: Node['role']) => {
    const of = tree.there().filter((name) => !role || tree.nodes.get(name)?.role === role);
    return of[which % Math.max(1, of.length)];
  };
  const asked = async (started: { userMessageId: string; answerId: string }, parent: string | null) => {
    if (!tree.nodes.has(started.userMessageId)) tree.nodes.set(started.userMessageId, { parent, role: 'user' });
    tree.nodes.set(started.answerId, { parent: started.userMessageId, role: 'assistant' });
    await isSettled(id);
    expect((await shown()).at(-1)?.id).toBe(started.answerId);
  };
  const ask = (more: object) =>
    client.chat.send({ messageId: randomUUID(), text: 'more', model: 'openai/gpt', conversationId: id, ...more });

  const moves: Record<Step['do'], (which: number) => Promise<void>> = {
    send: async () => {
      const leaf = (await shown()).at(-1)?.id ?? null;
      await asked(await ask({}), leaf);
    },
    edit: async (which) => {
      const old = pick(which, 'user');
      if (old) await asked(await ask({ editOf: old }), tree.nodes.get(old)?.parent ?? null);
    },
    again: async (which) => {
      const answer = pick(which, 'assistant');
      if (answer) await asked(await client.chat.regenerate({ answerId: answer }), null);
    },
    answer: async (which) => {
      const questionId = pick(which, 'user');
      if (questionId) await asked(await client.chat.answer({ questionId, model: 'openai/gpt' }), null);
    },
    show: async (which) => {
      const messageId = pick(which);
      if (!messageId) return;
      await client.messages.show({ messageId });
      expect((await shown()).map((message) => message.id)).toContain(messageId);
    },
    left: (which) => aside(which, -1),
    right: (which) => aside(which, 1),
    remove: async (which) => {
      const messageId = pick(which);
      if (!messageId) return;
      const gone = tree.below(messageId);
      const removal = await client.messages.remove({ messageId });
      expect(removal.messages).toBe(gone.size);
      tree.gone.set(removal.deletionId, gone);
    },
    undo: async (which) => {
      const messageId = pick(which);
      if (!messageId) return;
      const before = await shown();
      const removal = await client.messages.remove({ messageId });
      await client.messages.restore(removal);
      expect(await shown()).toEqual(before);
    },
    restore: async (which) => {
      const deletionId = [...tree.gone.keys()][which % Math.max(1, tree.gone.size)];
      if (deletionId) await restore(deletionId);
    },
  };

  async function aside(which: number, by: -1 | 1): Promise<void> {
    const from = pick(which);
    if (!from) return;
    const all = tree.siblings(from);
    const { messageId } = await client.messages.show({ messageId: from, step: by });
    expect(messageId).toBe(all[all.indexOf(from) + by] ?? from);
    // Switching to a sibling and back shows the same messages below it again.
    const first = await shown();
    await client.messages.show({ messageId, step: by });
    await client.messages.show({ messageId });
    expect(await shown()).toEqual(first);
  }

  /** If a message above it was removed too, the messages stay removed and belong to that removal from now on. */
  async function restore(deletionId: string): Promise<void> {
    const ids = tree.gone.get(deletionId) ?? new Set<string>();
    tree.gone.delete(deletionId);
    await client.messages.restore({ deletionId });
    const [root = ''] = ids;
    const above = tree.path(root).findLast((name) => [...tree.gone.values()].some((set) => set.has(name)));
    const over = [...tree.gone.values()].find((set) => above !== undefined && set.has(above));
    for (const name of ids) over?.add(name);
  }

  const check = async () => {
    const messages = await shown();
    const ids = messages.map((message) => message.id);
    const leaf = ids.at(-1);
    expect(leaf === undefined).toBe(tree.there().length === 0);
    if (!leaf) return;
    expect(ids).toEqual(tree.path(leaf));
    expect(tree.isLeaf(leaf)).toBe(true);
    for (const { id: name, sibling } of messages) {
      const all = tree.siblings(name);
      expect(sibling).toEqual({ index: all.indexOf(name) + 1, count: all.length });
    }
  };

  for (const { do: move, which } of steps) {
    await moves[move](which);
    await check();
  }
  while (tree.gone.size > 0) await restore([...tree.gone.keys()].at(-1) ?? '');
  await check();
  for (const messageId of tree.nodes.keys()) {
    await client.messages.show({ messageId });
    expect((await shown()).find((message) => message.id === messageId)).toMatchObject({ status: 'done' });
  }
}

const steps = (...moves: [Step['do'], number][]): Step[] => moves.map(([move, which]) => ({ do: move, which }));

test('a message that is restored below the end of the shown branch extends it', () =>
  play(steps(['send', 0], ['answer', 0], ['remove', 802], ['left', 10], ['restore', 0], ['send', 0], ['send', 0])));

test(`one branch from root to leaf is shown and nothing is lost, whatever is edited, retried, switched, removed or restored (${numRuns} runs; PORTICO_TREE_RUNS for more)`, async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), play), { numRuns });
}, 600_000);
