import { cleanup, render } from 'vitest-browser-react';
import { followChanges } from '../../renderer/api/follow-changes.ts';
import { App } from '../../renderer/app/app.tsx';
import { createCore } from '../../renderer/app/core-services.ts';
import { createQueries, Window } from '../../renderer/app/window.tsx';
import { useConnection } from '../../renderer/browser/connection.ts';
import { forgetScrollPositions } from '../../renderer/features/chat/thread/use-scroll-positions.ts';
import { useDrafts } from '../../renderer/features/drafts/drafts-store.ts';
import { startParser } from '../../renderer/markdown/parser/start-parser.ts';
import { startNav } from '../../renderer/navigation/nav.ts';
import { useThreadView } from '../../renderer/navigation/thread-view.ts';
import { useShell } from '../../renderer/page/shell-state.ts';
import { forgetUnfinishedForms } from '../../renderer/ui/forms/unfinished-forms.ts';
import type { FakeOptions } from './fake-chat.ts';
import { createFakeCore, type FakeCore } from './fake-core.ts';
import type { FakeData } from './fake-data.ts';

let stop: () => void = () => {};
/** All windows of the page share one worker. In the app, a worker ends together with its window's page. */
const parser = startParser();

/** Opens the complete window over a fake core, at a location such as `#usage`, with no state from the test before. */
export async function openApp(hash = '', change: Partial<FakeData> = {}, options: FakeOptions = {}): Promise<FakeCore> {
  const fake = createFakeCore(change, options);
  return openOver(fake, hash);
}

/** Opens the window again over a core that is already running, as a reload does. The core still has the drafts. */
export async function openOver(fake: FakeCore, hash: string): Promise<FakeCore> {
  await closeApp();
  localStorage.removeItem('portico');
  return start(fake, hash);
}

export async function reload(fake: FakeCore, hash: string): Promise<FakeCore> {
  await closeApp();
  return start(fake, hash);
}

async function start(fake: FakeCore, hash: string): Promise<FakeCore> {
  history.replaceState(null, '', hash === '' ? location.pathname + location.search : hash);
  const leave = new AbortController();
  const core = createCore(fake.link, parser);
  const queries = createQueries();
  const unfollow = startNav();
  void followChanges(core.api, queries, leave.signal);
  stop = () => {
    leave.abort();
    unfollow();
  };
  await render(
    <Window core={core} queries={queries}>
      <App />
    </Window>,
    { container: document.body.appendChild(Object.assign(document.createElement('div'), { id: 'root' })) },
  );
  return fake;
}

export async function closeApp(): Promise<void> {
  stop();
  await cleanup();
  document.getElementById('root')?.remove();
  useShell.setState({ open: true, drawer: false, overlay: null });
  useDrafts.setState({ texts: {}, files: {}, models: {}, mentions: {}, compares: {}, loaded: {} });
  forgetScrollPositions();
  forgetUnfinishedForms();
  useThreadView.setState({
    expanded: {},
    edits: {},
    copied: {},
    retrying: null,
    highlighted: null,
    searched: null,
    asked: null,
    overCap: null,
  });
  useConnection.setState({ lost: false });
}
