import { CircleAlert } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { useFollowBindings } from '../actions/bindings.ts';
import { useOffers } from '../actions/offers.ts';
import { useAppInfo } from '../api/use-core.ts';
import { useConnection } from '../browser/connection.ts';
import { isQuick } from '../browser/quick.ts';
import { useNarrow } from '../browser/use-media.ts';
import { useSettled } from '../browser/use-settled.ts';
import { useListRows } from '../features/library/conversations/use-list-rows.ts';
import { useHandle } from '../handles/handles.ts';
import { useNav } from '../navigation/nav.ts';
import { lazyView } from '../page/lazy-view.tsx';
import { useShell } from '../page/shell-state.ts';
import { ViewBoundary } from '../page/view-boundary.tsx';
import { getSentence } from '../text/error-text.ts';
import { text } from '../text/shell-text.ts';
import { SideDrawer } from '../ui/dialogs/dialog.tsx';
import { classNames } from '../ui/elements/class-names.ts';
import { Sidebar } from './sidebar.tsx';
import { useKeptFocus } from './use-kept-focus.ts';
import { useRecovery } from './use-recovery.ts';
import { useMenuActions, useShortcuts } from './use-shortcuts.ts';
import { useTypedAhead } from './use-typed-ahead.ts';
import { useWindowActions } from './use-window-actions.ts';

const Palette = lazyView(() => import('../features/palette/palette.tsx').then((file) => file.Palette));
const CredentialNotice = lazyView(() =>
  import('../features/gateways/connection/credential-notice.tsx').then((file) => file.CredentialNotice),
);
const ResizeHandle = lazyView(() => import('./resize-handle.tsx').then((file) => file.ResizeHandle));
const PageNotices = lazyView(() => import('./page-notices.ts').then((file) => file.PageNotices));
const ShortcutList = lazyView(() =>
  import('../features/settings/shortcuts/shortcut-list.tsx').then((file) => file.ShortcutList),
);

/** The frame of the window: sidebar, page, and dialogs over both. */
export function Shell({ children }: { children: ReactNode }) {
  const narrow = useNarrow();
  const { open, width, drawer, toggle } = useShell();
  const lost = useConnection((connection) => connection.lost);
  const info = useAppInfo();
  const problem = info.data?.problem;
  const unknown = useConnection((connection) => connection.unknown);
  const away = unknown
    ? text.unknownPage(location.origin)
    : location.port === ''
      ? text.lost
      : text.lostServer(location.port);
  const trouble = lost ? away : problem && getSentence(problem);
  const settled = useSettled();
  useFollowBindings();
  useWindowActions(narrow);
  useShortcuts();
  useTypedAhead();
  useMenuActions();
  useRecovery();
  useKeptFocus();
  const sidebar = useRef<HTMLElement>(null);
  const page = useRef<HTMLElement>(null);
  useHandle('sidebar', { element: () => sidebar.current });
  useHandle('page', { element: () => page.current });
  const closeDrawer = () => useShell.setState({ drawer: false });
  return (
    <div className="flex h-full">
      {!isQuick && !narrow && open && (
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
          {settled && (
            <ViewBoundary name={text.sidebar}>
              <ResizeHandle />
            </ViewBoundary>
          )}
        </aside>
      )}
      {!isQuick && narrow && (
        <SideDrawer open={drawer} onOpenChange={(next) => useShell.setState({ drawer: next })} title={text.sidebar}>
          <ViewBoundary name={text.sidebar}>
            <Sidebar onClose={closeDrawer} onChoose={closeDrawer} />
          </ViewBoundary>
        </SideDrawer>
      )}
      <main
        ref={page}
        tabIndex={-1}
        className={classNames(
          'focus-frame flex min-w-0 flex-1 flex-col overflow-hidden border-line bg-surface',
          isQuick ? 'border' : 'sm:page-panel',
        )}
      >
        {trouble && (
          <p
            role="status"
            className={classNames(
              'flex shrink-0 items-start gap-2 border-line border-b bg-sunken py-2 pr-[max(20px,var(--bar-right)+8px)] pl-5 text-fg text-sm wrap-anywhere max-sm:pl-3',
              info.data?.capabilities.ownTitleBar && 'drag-region',
            )}
          >
            <CircleAlert size={16} className="mt-0.5 shrink-0 text-warn" aria-hidden />
            {trouble}
          </p>
        )}
        {settled && !isQuick && (
          <ViewBoundary name={text.dialogs}>
            <CredentialNotice />
          </ViewBoundary>
        )}
        {children}
      </main>
      <ChatSteps />
      {settled && (
        <ViewBoundary name={text.dialogs}>
          <Palette />
          <ShortcutList />
          <PageNotices />
        </ViewBoundary>
      )}
    </div>
  );
}

/** Offers stepping from chat to chat in the order of the conversation list, even while the list is hidden. */
function ChatSteps(): null {
  const { rows } = useListRows();
  const step = (by: 1 | -1) => {
    const { loc, go } = useNav.getState();
    const chats = rows().flatMap((row) => (row.kind === 'chat' ? [row.conversation.id] : []));
    const here = loc.page === 'chat' && loc.conversationId ? chats.indexOf(loc.conversationId) : -1;
    const next = chats[here === -1 ? 0 : here + by];
    if (next !== undefined) go({ page: 'chat', conversationId: next });
  };
  useOffers({ nextChat: () => step(1), previousChat: () => step(-1) });
  return null;
}
