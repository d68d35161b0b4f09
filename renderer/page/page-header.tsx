import { PanelLeft } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { useAppInfo } from '../api/use-core.ts';
import { isQuick } from '../browser/quick.ts';
import { useNarrow } from '../browser/use-media.ts';
import { text } from '../text/shell-text.ts';
import { classNames } from '../ui/elements/class-names.ts';
import { IconButton } from '../ui/elements/icon-button.tsx';
import { AppMenuButton } from './app-menu-button.tsx';
import { Balance } from './balance.tsx';
import { useShell } from './shell-state.ts';

/** Loaded lazily, because only the small window has it. */
const QuickHeader = lazy(() => import('./quick-header.tsx').then((file) => ({ default: file.QuickHeader })));

interface PageHeaderProps {
  title: string;
  /** A muted line next to the title. */
  note?: ReactNode;
  onTitleDoubleClick?: () => void;
  children?: ReactNode;
}

/** The header of each page. While the sidebar is closed, the header has the sidebar's button and the balance. */
export function PageHeader(props: PageHeaderProps) {
  if (!isQuick) return <WindowHeader {...props} />;
  return (
    <Suspense fallback={<header className="drag-region toast-room h-11 shrink-0" />}>
      <QuickHeader title={props.title} />
    </Suspense>
  );
}

function WindowHeader({ title, note, onTitleDoubleClick, children }: PageHeaderProps) {
  const { open, toggle } = useShell();
  const narrow = useNarrow();
  const info = useAppInfo();
  const alone = narrow || !open;
  const ownBar = info.data?.capabilities.ownTitleBar ?? false;
  const mac = info.data?.platform === 'darwin';
  return (
    <header
      className={classNames(
        'toast-room @container/header flex h-[max(44px,var(--bar-height))] shrink-0 items-center gap-2 pr-[max(var(--side),var(--bar-right)+8px)] [--side:20px] max-sm:[--side:12px]',
        ownBar && 'drag-region',
        // Space for the window's own buttons.
        alone ? (ownBar && mac ? 'pl-[84px]' : 'pl-[max(var(--side),var(--bar-left)+8px)]') : 'pl-(--side)',
      )}
    >
      {alone && !narrow && <AppMenuButton className="-ml-2" />}
      {alone && (
        <IconButton
          icon={PanelLeft}
          label={text.openSidebar}
          action="sidebar"
          className="-ml-2"
          onClick={() => toggle(narrow)}
        />
      )}
      <h1 className="min-w-12 shrink-[99] truncate font-semibold text-sm" onDoubleClick={onTitleDoubleClick}>
        {title}
      </h1>
      {/* Shrinks before the title does, and the title before the balance. */}
      {note && <div className="min-w-0 shrink-[9999] truncate text-fg-3 text-sm max-sm:hidden">{note}</div>}
      <span className="flex-1" />
      {children}
      {alone && <Balance brief />}
    </header>
  );
}
