import { actionList } from '#shared/actions/action-list.ts';
import { useOffers } from '../actions/offers.ts';
import { useOpenWindow, useZoom } from '../api/use-app-calls.ts';
import { useSettings, useUpdateSettings } from '../api/use-core.ts';
import { useDark } from '../browser/use-dark.ts';
import { useChatDialog } from '../features/library/conversations/chat-dialog.ts';
import { focusComposer, getHandle } from '../handles/handles.ts';
import { getLoc, type Loc, newChat, temporaryChat, useNav } from '../navigation/nav.ts';
import { useShell } from '../page/shell-state.ts';
import { text } from '../text/shell-text.ts';
import { undoLast } from '../ui/notices/last-undo.ts';

const pageOffers = Object.fromEntries(
  actionList.flatMap(({ id, opens }) => (opens ? [[id, () => useNav.getState().go(getLoc(opens))]] : [])),
);

/** Offers the actions that are available anywhere in the window. */
export function useWindowActions(narrow: boolean): void {
  const { go, back, forward } = useNav.getState();
  const { toggle, show } = useShell.getState();
  const { ask } = useChatDialog.getState();
  const update = useUpdateSettings();
  const settings = useSettings().data;
  const dark = useDark();
  const zoom = useZoom();
  const openWindow = useOpenWindow();
  const start = (loc: Loc) => {
    go(loc);
    focusComposer();
  };
  const compact = settings?.density === 'compact';
  useOffers({
    ...pageOffers,
    newChat: () => start(newChat),
    newWindow: openWindow,
    temporaryChat: () => start(temporaryChat),
    newFolder: () => ask({ kind: 'new-folder' }),
    palette: () => show(useShell.getState().overlay === 'palette' ? null : 'palette'),
    shortcuts: () => show(useShell.getState().overlay === 'shortcuts' ? null : 'shortcuts'),
    sidebar: () => toggle(narrow),
    theme: {
      name: dark ? text.light : text.dark,
      run: () => update.mutate({ theme: dark ? 'light' : 'dark' }),
    },
    systemTheme: settings?.theme === 'system' ? null : () => update.mutate({ theme: 'system' }),
    density: {
      name: compact ? text.comfortable : text.compact,
      run: () => update.mutate({ density: compact ? 'comfortable' : 'compact' }),
    },
    zoomIn: zoom && (() => zoom('in')),
    zoomOut: zoom && (() => zoom('out')),
    zoomReset: zoom && (() => zoom('reset')),
    undo: undoLast,
    focusMessage: focusComposer,
    region: () => focusNextRegion(false),
    regionBack: () => focusNextRegion(true),
    back,
    forward,
    searchAll: () => {
      go({ page: 'chats', view: 'active', query: '' });
      requestAnimationFrame(() => getHandle('chatSearch')?.focus());
    },
  });
}

/** Moves the focus to the next part of the window in reading order, or to the previous one. */
function focusNextRegion(backwards: boolean): void {
  const parts = [getHandle('sidebar'), getHandle('thread') ?? getHandle('page'), getHandle('composer')];
  const all = parts.flatMap((part) => part?.element() ?? []);
  const here = all.findLastIndex((region) => region.contains(document.activeElement));
  const step = backwards ? -1 : 1;
  const next = all[(here + step + all.length) % all.length] ?? all[0];
  next?.focus();
}
