import '../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { fakeData, fakeMessage } from '../../tests/support/fake-data.ts';
import { fakeModel } from '../../tests/support/fake-models.ts';
import { fakeTool } from '../../tests/support/fake-tools.ts';
import { hostileMarkdown } from '../../tests/support/hostile-markdown.ts';
import { closeApp, openApp } from '../../tests/support/open-app.tsx';

afterEach(closeApp);

const origin = 'https://evil.example';
/** The selector of an element that exists once each view has rendered its names. */
const views = {
  '#chat/c2': 'article pre',
  '#chats': 'main [data-index]',
  '#models': 'main [data-row]',
  '#settings/tools': 'main li',
  '#settings/providers': 'main li',
};

/** Opens a window in which every name from outside is one of these. */
function named(names: readonly string[]) {
  const { conversations, providers, tools } = fakeData();
  const name = (index: number) => names[index % names.length] ?? '';
  const message = (id: string, parentId: string | null) =>
    fakeMessage({
      id,
      conversationId: 'c2',
      parentId,
      role: id.startsWith('q') ? 'user' : 'assistant',
      text: 'Words',
    });
  const file = { kind: 'text', mediaType: 'text/plain', bytes: 1, tokens: 1 } as const;
  const run = {
    server: name(5),
    title: name(6),
    state: 'failed',
    result: name(7),
    startedAt: 1,
    finishedAt: 2,
  } as const;
  return {
    models: names.map((modelName, index) =>
      fakeModel({
        provider: 'openai',
        owner: modelName,
        model: `m${index}`,
        name: modelName,
        context: 1,
        prompt: '0',
        completion: '0',
      }),
    ),
    conversations: conversations.map((conversation, index) => ({
      ...conversation,
      title: name(index),
      folder: name(index + 1),
      tags: [name(index)],
    })),
    folders: names.map((folderName, index) => ({ id: `f${index}`, name: folderName.slice(0, 60) })),
    messages: [
      {
        ...message('q', null),
        attachments: names
          .slice(0, 9)
          .map((fileName, index) => ({ ...file, id: `${index}`.repeat(64), name: fileName.slice(0, 255) })),
      },
      {
        ...message('a', 'q'),
        modelName: name(2),
        reasoning: 'Thoughts',
        routeReason: name(4),
        status: 'error' as const,
        error: { code: 'upstream_error', message: name(8), retryAfterMs: null },
        toolCalls: [{ id: 't', name: name(9), arguments: name(10), run }],
      },
    ],
    providers: providers.map((provider, index) => ({ ...provider, problem: { message: name(index) } })),
    tools: {
      ...tools,
      servers: names.slice(0, 12).map((serverName, index) => ({
        id: `s${index}`,
        name: serverName.slice(0, 80),
        transport: { type: 'stdio' as const, command: serverName, args: [serverName], folder: null, variables: [] },
        enabled: false,
        state: 'failed' as const,
        allowed: true,
        problem: { message: serverName },
        tools: [fakeTool(serverName, serverName)],
        fingerprint: 'f',
        changed: false,
      })),
    },
  };
}

/** Returns the element types of a view, and every address in it that isn't the app's own. */
function drawn() {
  const all = [...document.querySelectorAll('*')];
  const addresses = all.flatMap((element) =>
    [...element.attributes].flatMap(({ name, value }) =>
      /^(on.*|src.*|href|(form)?action|background|ping|poster|data|style)$/.test(name) &&
      value.includes(origin) &&
      !value.startsWith('#')
        ? [`${element.localName} ${name}=${value}`]
        : [],
    ),
  );
  return { elements: new Set(all.map(({ localName }) => localName)), addresses };
}

async function walk(names: readonly string[]) {
  const seen = new Set<string>();
  const addresses: string[] = [];
  for (const [view, shown] of Object.entries(views)) {
    await openApp(view, named(names));
    await expect.element(page.getByRole('main').getByRole('heading').first()).toBeVisible();
    await expect.poll(() => document.querySelector(shown)).not.toBeNull();
    // Waits for the page that loads last. Its elements would otherwise seem to come from a name.
    await expect.poll(() => document.querySelector('hr')).not.toBeNull();
    for (const element of drawn().elements) seen.add(element);
    addresses.push(...drawn().addresses);
  }
  return { seen, addresses };
}

/** Generous, because this takes a minute on a busy machine. It only ends a hang. */
const limitMs = 240_000;

test('hostile names of models, tools, files, folders and chats are plain text in every view', {
  timeout: limitMs,
}, async () => {
  const hostile = hostileMarkdown(origin).filter((text) => /^[<"'\]?-]/.test(text) && !text.includes('\n'));
  const ours = await walk(Array.from({ length: 12 }, (_, index) => `Name ${index}`));
  for (let start = 0; start < hostile.length; start += Math.ceil(hostile.length / 3)) {
    const names = hostile.slice(start, start + 60);
    const { seen, addresses } = await walk(names);
    expect(addresses).toEqual([]);
    expect([...seen].filter((element) => !ours.seen.has(element))).toEqual([]);
  }
  expect('pwned' in globalThis).toBe(false);
  expect(performance.getEntriesByType('resource').filter(({ name }) => name.startsWith(origin))).toEqual([]);
});
