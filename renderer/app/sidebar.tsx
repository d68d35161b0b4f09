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
import { type Loc, newChat, useNav } from '../lib/nav.ts';
import { useAppInfo } from '../lib/use-core.ts';
import { classNames } from '../ui/class-names.ts';
import { Hint } from '../ui/hint.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Keys } from '../ui/keys.tsx';
import { Link } from '../ui/link.tsx';
import { Balance } from './balance.tsx';
import { ConversationList } from './conversation-list.tsx';
import { useShell } from './shell-state.ts';
import { text } from './text.ts';

const row =
  'flex h-row w-full items-center gap-2.5 rounded-control px-2 font-medium text-fg-2 text-sm hover:bg-hover hover:text-fg focus-visible:outline-offset-[-2px] aria-[current=page]:bg-active aria-[current=page]:text-fg';

/** Where to go. The same in the window and in the drawer of a narrow one. */
export function Sidebar({ onClose, onChoose }: { onClose: () => void; onChoose: () => void }) {
  const { loc, go } = useNav();
  const show = useShell((shell) => shell.show);
  const startChat = () => {
    go(newChat);
    onChoose();
    requestAnimationFrame(() => document.getElementById('message')?.focus());
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
          <span className="text-fg-3">
            <Keys keys="mod+K" plain />
          </span>
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
        <ConversationList onChoose={onChoose} />
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
          shortcut="mod+,"
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
        'flex h-11 shrink-0 items-center gap-0.5 px-2',
        ownBar && 'drag-region',
        mac && 'pl-[84px]',
      )}
    >
      <IconButton icon={PanelLeft} label={text.closeSidebar} shortcut="mod+\" onClick={onClose} />
      <span className="flex-1" />
      <IconButton icon={ArrowLeft} label={text.back} disabled={index === 0} onClick={back} />
      <IconButton icon={ArrowRight} label={text.forward} disabled={index >= last} onClick={forward} />
    </div>
  );
}

interface PlaceProps {
  to: Loc;
  icon: LucideIcon;
  label: string;
  shortcut?: string;
  onChoose: () => void;
}

function PageLink({ to, icon: Icon, label, onChoose }: PlaceProps) {
  const here = useNav((nav) => nav.loc.page === to.page);
  return (
    <Link to={to} className={row} onClick={onChoose} aria-current={here ? 'page' : undefined}>
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      {label}
    </Link>
  );
}

function FootLink({ to, icon: Icon, label, shortcut, onChoose }: PlaceProps) {
  const here = useNav((nav) => nav.loc.page === to.page);
  return (
    <Hint label={label} shortcut={shortcut}>
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
