import { cleanup, render } from 'vitest-browser-react';
import { App } from '../../renderer/app/app.tsx';
import { createCore } from '../../renderer/app/core.ts';
import { useShell } from '../../renderer/app/shell-state.ts';
import { createQueries, Window } from '../../renderer/app/window.tsx';
import { useDrafts } from '../../renderer/features/chat/drafts.ts';
import { useThreadView } from '../../renderer/features/chat/thread-view.ts';
import { forgetPlaces } from '../../renderer/features/chat/use-places.ts';
import { followChanges, useConnection } from '../../renderer/lib/changes.ts';
import { startNav } from '../../renderer/lib/nav.ts';
import { createFakeCore, type FakeCore, type FakeOptions } from './fake-core.ts';
import type { FakeData } from './fake-data.ts';

let stop: () => void = () => {};

/** The whole window over a fake core, at a place such as `#usage`, with nothing kept from the test before. */
export async function openApp(hash = '', change: Partial<FakeData> = {}, options: FakeOptions = {}): Promise<FakeCore> {
  const fake = createFakeCore(change, options);
  return openOver(fake, hash);
}

/** The same over a core that lives already: a reload. Drafts are what the core has. */
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
  const core = createCore(fake.link);
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
  forgetPlaces();
  useThreadView.setState({
    folds: {},
    edits: {},
    copied: {},
    retrying: null,
    target: null,
    pointed: null,
    endWanted: 0,
    overCap: null,
  });
  useConnection.setState({ lost: false });
}
