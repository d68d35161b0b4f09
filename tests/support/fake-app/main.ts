import './no-eval.ts';
import '../../../renderer/ui/styles/theme.css';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { openWindow } from '../../../renderer/app/open-window.ts';
import { fakeAnswer } from '../fake-answer.ts';
import type { FakeOptions } from '../fake-chat.ts';
import { createFakeCore } from '../fake-core.ts';
import { fakeMessage } from '../fake-data.ts';
import { fakeModels, manyModels } from '../fake-models.ts';

/**
 * Opens the window over a fake core, to look at it in a browser. The address chooses the state: `?empty`, `?first`,
 * `?fail=models.list`, `?hold=usage.get`, `?many`.
 */
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id "root"');
const wish = new URLSearchParams(location.search);
const core = createFakeCore({}, { paceMs: Number(wish.get('pace') ?? 12), ...wished() });
if (wish.has('many')) core.data.models = [...fakeModels, ...manyModels(3000)];
if (wish.has('empty')) Object.assign(core.data, { conversations: [], messages: [], models: [], ledgerLines: 0 });
if (wish.has('first'))
  Object.assign(core.data, {
    conversations: [],
    settings: { ...core.data.settings, welcomed: false, model: 'router' },
  });
if (wish.has('long')) core.data.messages = longThread(Number(wish.get('long')));
const theme = wish.get('theme');
if (theme === 'light' || theme === 'dark') core.data.settings = { ...core.data.settings, theme };
for (const method of wish.getAll('fail'))
  core.fail(method, 'gateway_unreachable', 'The gateway at https://gateway.example.com did not answer.');
for (const method of wish.getAll('hold')) core.hold(method, true);
await openWindow(root, core.link);

/**
 * With `?tokens=200` the fake streams the text in session storage under `answer` at that many tokens a second. A token
 * counts as four characters.
 */
function wished(): FakeOptions {
  const rate = Number(wish.get('tokens') ?? 0);
  const answer = sessionStorage.getItem('answer');
  return rate > 0 && answer !== null ? { answer, paceMs: 20, pieceLength: Math.max(1, (rate * 4) / 50) } : {};
}

/** Makes a conversation of this many messages. */
function longThread(size: number): Message[] {
  return Array.from({ length: size }, (_, index) =>
    fakeMessage({
      id: `l${index}`,
      conversationId: 'c0',
      parentId: index === 0 ? null : `l${index - 1}`,
      role: index % 2 === 0 ? 'user' : 'assistant',
      model: index % 2 === 0 ? null : 'sandbox/tour',
      modelName: index % 2 === 0 ? null : 'Sandbox Tour',
      text: index % 2 === 0 ? `Question ${index}` : fakeAnswer,
    }),
  );
}
