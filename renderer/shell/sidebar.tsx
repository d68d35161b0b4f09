import {
  Activity,
  ArrowLeft,
  ArrowRight,
  CircleUser,
  Layers,
  type LucideIcon,
  MessagesSquare,
  PanelLeft,
  Search,
  Settings,
  SquarePen,
  Wallet,
} from 'lucide-react';
import type { ActionId } from '#shared/actions/action-list.ts';
import { useKeys } from '../actions/bindings.ts';
import { useAppInfo } from '../api/use-core.ts';
import { useSettled } from '../browser/use-settled.ts';
import { focusComposer } from '../handles/handles.ts';
import { type Loc, newChat, useNav } from '../navigation/nav.ts';
import { AppMenuButton } from '../page/app-menu-button.tsx';
import { Balance } from '../page/balance.tsx';
import { lazyView } from '../page/lazy-view.tsx';
import { useShell } from '../page/shell-state.ts';
import { ViewBoundary } from '../page/view-boundary.tsx';
import { text } from '../text/shell-text.ts';
import { classNames } from '../ui/elements/class-names.ts';
import { Hint } from '../ui/elements/hint.tsx';
import { IconButton } from '../ui/elements/icon-button.tsx';
import { Keys } from '../ui/elements/keys.tsx';
import { Link } from '../ui/elements/link.tsx';
import { SkeletonRows } from '../ui/notices/skeleton.tsx';

const ConversationList = lazyView(() =>
  import('../features/library/conversations/conversation-list.tsx').then((file) => file.ConversationList),
);

const ChatsLoading = () => (
  <div className="px-2">
    <SkeletonRows rows={8} label={text.loadingChats} />
  </div>
);

const row =
  'flex h-row w-full items-center gap-2.5 rounded-control px-2 font-medium text-fg-2 text-sm hover:bg-hover hover:text-fg focus-visible:outline-offset-[-2px] aria-[current=page]:bg-active aria-[current=page]:text-fg';

/** The content of the sidebar, also used in the drawer of a narrow window. */
export function Sidebar({ onClose, onChoose }: { onClose: () => void; onChoose: () => void }) {
  const { loc, go } = useNav();
  const show = useShell((shell) => shell.show);
  const settled = useSettled();
  const paletteKeys = useKeys('palette');
  const startChat = () => {
    go(newChat);
    onChoose();
    focusComposer();
  };
  return (
    <>
      <TopRow onClose={onClose} />
      <nav aria-label={text.pages} className="flex flex-col px-2">
        <button
          type="button"
          className={row}
          onClick={startChat}
          aria-current={loc.page === 'chat' && !loc.conversationId ? 'page' : undefined}
        >
          <SquarePen size={16} strokeWidth={1.75} aria-hidden />
          {text.newChat}
        </button>
        <button type="button" aria-label={text.search} className={row} onClick={() => show('palette')}>
          <Search size={16} strokeWidth={1.75} aria-hidden />
          <span className="flex-1 text-left">{text.search}</span>
          <span className="text-fg-3">{paletteKeys && <Keys keys={paletteKeys} plain />}</span>
        </button>
        <PageLink
          to={{ page: 'chats', view: 'active', query: '' }}
          icon={MessagesSquare}
          label={text.allChats}
          onChoose={onChoose}
        />
        <PageLink to={{ page: 'models' }} icon={Layers} label={text.models} onChoose={onChoose} />
        <PageLink to={{ page: 'usage' }} icon={Activity} label={text.usage} onChoose={onChoose} />
      </nav>
      <nav aria-label={text.chats} className="mt-2 min-h-0 flex-1">
        <ViewBoundary name={text.chats} loading={<ChatsLoading />}>
          {settled ? <ConversationList onChoose={onChoose} /> : <ChatsLoading />}
        </ViewBoundary>
      </nav>
      <nav aria-label={text.you} className="flex h-14 shrink-0 items-center gap-0.5 border-line border-t pr-2 pl-4">
        <Balance />
        <span className="flex-1" />
        <FootLink to={{ page: 'credits' }} icon={Wallet} label={text.credits} onChoose={onChoose} />
        <FootLink to={{ page: 'account' }} icon={CircleUser} label={text.account} onChoose={onChoose} />
        <FootLink
          to={{ page: 'settings', section: null }}
          icon={Settings}
          label={text.settings}
          action="settings"
          onChoose={onChoose}
        />
      </nav>
    </>
  );
}

function TopRow({ onClose }: { onClose: () => void }) {
  const { back, forward, index, last } = useNav();
  const info = useAppInfo();
  const ownBar = info.data?.capabilities.ownTitleBar ?? false;
  const mac = ownBar && info.data?.platform === 'darwin';
  return (
    <div
      className={classNames(
        'flex h-11 shrink-0 items-center gap-0.5 pr-2',
        ownBar && 'drag-region',
        mac ? 'pl-[84px]' : 'pl-[max(8px,var(--bar-left)+8px)]',
      )}
    >
      <AppMenuButton />
      <IconButton icon={PanelLeft} label={text.closeSidebar} action="sidebar" onClick={onClose} />
      <span className="flex-1" />
      <IconButton icon={ArrowLeft} label={text.back} disabled={index === 0} onClick={back} />
      <IconButton icon={ArrowRight} label={text.forward} disabled={index >= last} onClick={forward} />
    </div>
  );
}

interface PageLinkProps {
  to: Loc;
  icon: LucideIcon;
  label: string;
  action?: ActionId;
  onChoose: () => void;
}

function PageLink({ to, icon: Icon, label, onChoose }: PageLinkProps) {
  const here = useNav((nav) => nav.loc.page === to.page);
  return (
    <Link to={to} className={row} onClick={onChoose} aria-current={here ? 'page' : undefined}>
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      {label}
    </Link>
  );
}

function FootLink({ to, icon: Icon, label, action, onChoose }: PageLinkProps) {
  const here = useNav((nav) => nav.loc.page === to.page);
  return (
    <Hint label={label} action={action}>
      <Link
        to={to}
        aria-label={label}
        aria-current={here ? 'page' : undefined}
        onClick={onChoose}
        className="flex size-8 shrink-0 items-center justify-center rounded-control text-fg-2 hover:bg-hover hover:text-fg aria-[current=page]:bg-active aria-[current=page]:text-fg"
      >
        <Icon size={16} strokeWidth={1.75} aria-hidden />
      </Link>
    </Hint>
  );
}
