import './no-eval.ts';
import '../../../renderer/ui/theme.css';
import { openWindow } from '../../../renderer/app/open-window.ts';
import { createFakeCore } from '../fake-core.ts';
import { fakeModels, manyModels } from '../fake-models.ts';

/** The window over a made-up core, for looking at it: `?empty`, `?first`, `?fail=models.list`, `?hold=usage.get`, `?many`. */
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id "root"');
const wish = new URLSearchParams(location.search);
const core = createFakeCore({}, { paceMs: Number(wish.get('pace') ?? 12) });
if (wish.has('many')) core.data.models = [...fakeModels, ...manyModels(3000)];
if (wish.has('empty')) Object.assign(core.data, { conversations: [], messages: [], models: [], ledgerLines: 0 });
if (wish.has('first'))
  Object.assign(core.data, {
    conversations: [],
    settings: { ...core.data.settings, welcomed: false, model: 'router' },
  });
const theme = wish.get('theme');
if (theme === 'light' || theme === 'dark') core.data.settings = { ...core.data.settings, theme };
for (const method of wish.getAll('fail'))
  core.fail(method, 'gateway_unreachable', 'The gateway at https://gateway.example.com did not answer.');
for (const method of wish.getAll('hold')) core.hold(method, true);
openWindow(root, core.link);
