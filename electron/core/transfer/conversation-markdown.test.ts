import { expect, test } from 'vitest';
import type { ExportedConversation, ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import type { Language } from '#shared/language/messages.ts';
import { toProblemText } from '#shared/language/refusals.ts';
import { lexMarkdown } from '#shared/markdown/lex-markdown.ts';
import { hostileMarkdown } from '../../../tests/support/hostile-markdown.ts';
import { toMarkdown } from './export-chats.ts';
import { exportText } from './export-text.ts';
import { foreignConversation, foreignMessage } from './reading/imported.ts';

const english = exportText('en');

/** Creates a chat in which everything except question and answer has this name. */
function namedChat(name: string): ExportedConversation {
  const common = { reasoning: '', createdAt: 0, model: 'a/b', modelName: name };
  const file = { id: 'f', name, kind: 'text', mediaType: 'text/plain', bytes: 1, tokens: 1 } as const;
  const question: ExportedMessage = {
    ...foreignMessage({ ...common, id: 'q', parentId: null, role: 'user', text: 'Asked.' }),
    attachments: [file],
  };
  const run = { server: name, title: name, state: 'failed', result: '', startedAt: null, finishedAt: null } as const;
  const answer: ExportedMessage = {
    ...foreignMessage({ ...common, id: 'a', parentId: 'q', role: 'assistant', text: 'Answered.' }),
    status: 'error',
    error: { code: 'x', message: name, retryAfterMs: null },
    toolCalls: [{ id: 'one', name, arguments: '', run }],
  };
  const about = { sourceId: 's', id: 'c', title: 't', createdAt: 0, updatedAt: 0, activeLeaf: 'a', leftOut: [] };
  const { conversation } = foreignConversation({ ...about, messages: [question, answer] });
  return { ...conversation, title: name, folder: name, tags: [name, name] };
}

/** Returns the block types of a text, and every kind of token in it. */
function getShape(markdown: string) {
  const kinds = new Set<string>();
  const walk = (tokens: readonly { type: string; tokens?: unknown }[]) => {
    for (const { type, tokens: inner } of tokens) {
      kinds.add(type);
      if (Array.isArray(inner)) walk(inner);
    }
  };
  const blocks = lexMarkdown(markdown);
  walk(blocks);
  return { blocks: blocks.map(({ type }) => type).filter((type) => type !== 'space'), kinds: [...kinds].sort() };
}

test('a hostile name cannot change the structure of a Markdown export, or hide, reverse or break its lines', () => {
  const { blocks } = getShape(toMarkdown(namedChat('A name'), english));
  for (const name of [...hostileMarkdown('https://evil.example'), 'a\n\n## You\n\nforged', '---\nfront: matter\n---']) {
    const markdown = toMarkdown(namedChat(name), english);
    const shape = getShape(markdown);
    expect(shape.blocks, name).toEqual(blocks);
    expect(
      shape.kinds.filter(
        (kind) => !['em', 'escape', 'heading', 'link', 'maths', 'paragraph', 'space', 'text'].includes(kind),
      ),
      name,
    ).toEqual([]);
    expect(markdown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u202e\u2066]/u);
  }
});

test('an ordinary name is exported unchanged', () => {
  const words = 'C# & snake_case_2 “quoted” $5 (50%) – 你好';
  expect(toMarkdown(namedChat(words), english)).toContain(`# ${words}\n`);
  expect(toMarkdown(namedChat('*a* <b> _c_ [d] `e` &amp;'), english)).toContain(
    '# \\*a\\* &lt;b> \\_c\\_ \\[d\\] \\`e\\` \\&amp;\n',
  );
});

test('the reason of a failed answer is in the language of the export, and a provider’s own words are unchanged', () => {
  const failed = (error: ExportedMessage['error']) => {
    const chat = namedChat('A name');
    const messages = chat.messages.map((message) => (message.role === 'assistant' ? { ...message, error } : message));
    return (language: Language) => toMarkdown({ ...chat, messages }, exportText(language));
  };
  const ours = failed({ code: 'upstream_truncated', retryAfterMs: null, ...toProblemText('cutOff') });
  expect(ours('en')).toContain('Ended with an error: The answer ended without saying that it was complete.');
  expect(ours('en-XA')).toMatch(/⟦Ended with an error: ⟦Thé åñšw/);
  const theirs = failed({ code: 'upstream_error', retryAfterMs: null, message: 'Out of luck.' });
  expect(theirs('en-XA')).toContain('⟦Ended with an error: Out of luck.');
});

test('a call of a built-in tool is named in the language of the export, and another one by its server', () => {
  const chat = namedChat('A name');
  const [question, answer] = chat.messages;
  const called = (name: string) => ({
    ...chat,
    messages: [question, answer].flatMap((message) =>
      message ? [{ ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, name })) }] : [],
    ),
  });
  expect(toMarkdown(called('calculator'), exportText('en-XA'))).toContain('⟦Called ⟦Çålçûlåtör');
  expect(toMarkdown(called('their_tool'), exportText('en-XA'))).toContain('⟦Called A name');
});
