import { type ReactNode, useRef } from 'react';
import { useAppInfo } from '../api/use-core.ts';
import { useConnection } from '../browser/connection.ts';
import { useNarrow } from '../browser/use-media.ts';
import { useSettled } from '../browser/use-settled.ts';
import { ChatSteps } from '../features/conversations/chat-steps.tsx';
import { useHandle } from '../handles/handles.ts';
import { lazyView } from '../page/lazy-view.tsx';
import { useShell } from '../page/shell-state.ts';
import { ViewBoundary } from '../page/view-boundary.tsx';
import { sentenceOf } from '../text/error-text.ts';
import { text } from '../text/shell-text.ts';
import { SideDrawer } from '../ui/dialogs/dialog.tsx';
import { ResizeHandle } from './resize-handle.tsx';
import { Sidebar } from './sidebar.tsx';
import { useRecovery } from './use-recovery.ts';
import { useShortcuts } from './use-shortcuts.ts';

const Palette = lazyView(() => import('./palette.tsx').then((file) => file.Palette));
const ShortcutList = lazyView(() => import('./shortcut-list.tsx').then((file) => file.ShortcutList));

/** The frame of the window: sidebar, page, and dialogs over both. */
export function Shell({ children }: { children: ReactNode }) {
  const narrow = useNarrow();
  const { open, width, drawer, toggle } = useShell();
  const lost = useConnection((connection) => connection.lost);
  const info = useAppInfo();
  const problem = info.data?.problem;
  const trouble = lost ? text.lost : problem && sentenceOf(problem);
  const settled = useSettled();
  useShortcuts(narrow);
  useRecovery();
  const sidebar = useRef<HTMLElement>(null);
  const page = useRef<HTMLElement>(null);
  useHandle('sidebar', { element: () => sidebar.current });
  useHandle('page', { element: () => page.current });
  const closeDrawer = () => useShell.setState({ drawer: false });
  return (
    <div className="flex h-full">
      {!narrow && open && (
        <aside
          aria-label={text.sidebar}
          ref={sidebar}
          tabIndex={-1}
          className="relative flex shrink-0 flex-col"
          style={{ width }}
        >
          <ViewBoundary name={text.sidebar}>
            <Sidebar onClose={() => toggle(false)} onChoose={() => {}} />
          </ViewBoundary>
          <ResizeHandle />
        </aside>
      )}
      {narrow && (
        <SideDrawer open={drawer} onOpenChange={(next) => useShell.setState({ drawer: next })} title={text.sidebar}>
          <ViewBoundary name={text.sidebar}>
            <Sidebar onClose={closeDrawer} onChoose={closeDrawer} />
          </ViewBoundary>
        </SideDrawer>
      )}
      <main
        ref={page}
        tabIndex={-1}
        className="flex min-w-0 flex-1 flex-col overflow-hidden border-line bg-surface focus-visible:outline-none sm:m-1.5 sm:rounded-menu sm:border"
      >
        {trouble && (
          <p role="status" className="shrink-0 border-line border-b bg-sunken px-5 py-1.5 text-fg-2 text-sm">
            {trouble}
          </p>
        )}
        {children}
      </main>
      <ChatSteps />
      {settled && (
        <ViewBoundary name={text.dialogs}>
          <Palette />
          <ShortcutList />
        </ViewBoundary>
      )}
    </div>
  );
}
