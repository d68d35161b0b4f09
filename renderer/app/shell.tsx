import type { ReactNode } from 'react';
import { useConnection } from '../lib/changes.ts';
import { useAppInfo } from '../lib/use-core.ts';
import { useNarrow } from '../lib/use-media.ts';
import { SideDrawer } from '../ui/dialog.tsx';
import { Palette } from './palette.tsx';
import { ResizeHandle } from './resize-handle.tsx';
import { useShell } from './shell-state.ts';
import { ShortcutList } from './shortcut-list.tsx';
import { Sidebar } from './sidebar.tsx';
import { text } from './text.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** The window: sidebar, page, and what floats over both. */
export function Shell({ children }: { children: ReactNode }) {
  const narrow = useNarrow();
  const { open, width, drawer, toggle } = useShell();
  const lost = useConnection((connection) => connection.lost);
  const info = useAppInfo();
  const trouble = lost ? text.lost : info.data?.problem;
  useShortcuts(narrow);
  const closeDrawer = () => useShell.setState({ drawer: false });
  return (
    <div className="flex h-full">
      {!narrow && open && (
        <aside
          aria-label={text.sidebar}
          data-region
          tabIndex={-1}
          className="relative flex shrink-0 flex-col"
          style={{ width }}
        >
          <Sidebar onClose={() => toggle(false)} onChoose={() => {}} />
          <ResizeHandle />
        </aside>
      )}
      {narrow && (
        <SideDrawer open={drawer} onOpenChange={(next) => useShell.setState({ drawer: next })} title={text.sidebar}>
          <Sidebar onClose={closeDrawer} onChoose={closeDrawer} />
        </SideDrawer>
      )}
      <main
        data-region
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
      <Palette />
      <ShortcutList />
    </div>
  );
}
