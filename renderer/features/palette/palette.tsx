import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { useRef } from 'react';
import { useSettings, useUpdateSettings } from '../../api/use-core.ts';
import { useShell } from '../../page/shell-state.ts';
import { text } from '../../text/action-text.ts';
import { DialogPopup } from '../../ui/dialogs/dialog.tsx';
import { Keys } from '../../ui/elements/keys.tsx';
import { MarkedText } from '../search/marked-text.tsx';
import type { Entry, EntryGroup } from './rank-entries.ts';
import { useEntries } from './use-entries.ts';

const maxStored = 12;
/** True if an entry is stored as recent. Chats and messages have their own order. */
const isStoredAsRecent = ({ id }: Entry) => /^(?:action|model|setting|language):/.test(id);

/** The command palette: actions, pages, chats, messages, models and settings. */
export function Palette() {
  const { overlay, show } = useShell();
  const chosen = useRef<Entry | null>(null);
  const recent = useSettings().data?.recentActions ?? [];
  const update = useUpdateSettings();
  // Runs after the palette has closed and returned the focus, because the entry may move the focus itself.
  const run = () => {
    const entry = chosen.current;
    chosen.current = null;
    if (!entry) return;
    entry.run();
    if (!isStoredAsRecent(entry) || recent[0] === entry.id) return;
    update.mutate({ recentActions: [entry.id, ...recent.filter((id) => id !== entry.id)].slice(0, maxStored) });
  };
  const open = overlay === 'palette';
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => show(next ? 'palette' : null)}
      onOpenChangeComplete={(isOpen) => !isOpen && requestAnimationFrame(() => requestAnimationFrame(run))}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="now fixed inset-0 z-40 bg-scrim" />
        <DialogPopup
          open={open}
          className="now fixed inset-x-3 top-[12vh] z-40 mx-auto flex max-h-[min(520px,76vh)] max-w-[620px] flex-col overflow-hidden rounded-dialog border border-line bg-raised shadow-modal"
        >
          <Dialog.Title className="sr-only">{text.title}</Dialog.Title>
          <PaletteSearch
            onChoose={(entry) => {
              chosen.current = entry;
              show(null);
            }}
          />
        </DialogPopup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteSearch({ onChoose }: { onChoose: (entry: Entry) => void }) {
  const { query, seek } = useShell();
  const { groups, nothing, searching } = useEntries(query);
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  return (
    <Autocomplete.Root
      inline
      open
      mode="none"
      items={groups}
      filter={null}
      itemToStringValue={(entry: Entry) => entry.label}
      value={query}
      onValueChange={(value, { reason }) => reason !== 'item-press' && seek(value)}
      autoHighlight="always"
      keepHighlight
    >
      <div className="flex h-12 shrink-0 items-center gap-3 border-line border-b px-4">
        <Search size={16} className="shrink-0 text-fg-3" aria-hidden />
        <Autocomplete.Input
          aria-label={text.search}
          placeholder={text.search}
          maxLength={200}
          // Puts the cursor after text that was typed before the field was mounted.
          onFocus={({ currentTarget }) => currentTarget.setSelectionRange(query.length, query.length)}
          className="h-full w-full min-w-0 flex-1 bg-transparent text-md focus-visible:outline-none"
        />
      </div>
      <p role="status" className="sr-only">
        {searching ? text.searching : nothing ? text.nothing(query.trim()) : text.found(count)}
      </p>
      {nothing && <p className="px-4 pt-5 pb-2 text-center text-fg-2 wrap-anywhere">{text.nothing(query.trim())}</p>}
      <Autocomplete.List className="min-h-0 flex-1 overflow-y-auto p-1.5">
        {(group: EntryGroup) => (
          <Autocomplete.Group key={group.value} items={group.items}>
            <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 font-medium text-fg-3 text-xs">
              {group.value}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(entry: Entry) => (
                <Autocomplete.Item
                  key={entry.id}
                  value={entry}
                  onClick={() => onChoose(entry)}
                  className="flex min-h-9 items-center gap-2.5 rounded-control px-2.5 py-1 text-sm outline-none select-none data-highlighted:bg-active"
                >
                  <entry.icon size={16} strokeWidth={1.75} className="shrink-0 text-fg-2" aria-hidden />
                  <EntryWords entry={entry} />
                  {entry.keys && <Keys keys={entry.keys} />}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
      <p
        aria-hidden
        className="flex h-9 shrink-0 items-center gap-3 border-line border-t px-4 text-fg-3 text-xs max-sm:hidden"
      >
        <span className="flex items-center gap-1.5">
          <Keys keys="↑" />
          <Keys keys="↓" /> {text.move}
        </span>
        <span className="flex items-center gap-1.5">
          <Keys keys="Enter" /> {text.open}
        </span>
        <span className="flex items-center gap-1.5">
          <Keys keys="Esc" /> {text.close}
        </span>
      </p>
    </Autocomplete.Root>
  );
}

function EntryWords({ entry: { label, note, runs, snippet } }: { entry: Entry }) {
  return (
    <span className="min-w-0 flex-1">
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 truncate">{runs ? <MarkedText runs={runs} /> : label}</span>
        {note && <span className="shrink-0 text-fg-3 text-xs">{note}</span>}
      </span>
      {snippet && (
        <span className="block truncate text-fg-2 text-xs">
          <MarkedText runs={snippet} />
        </span>
      )}
    </span>
  );
}
