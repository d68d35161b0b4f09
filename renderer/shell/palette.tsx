import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { useShell } from '../page/shell-state.ts';
import { text } from '../text/shell-text.ts';
import { Keys } from '../ui/elements/keys.tsx';
import { type Command, type CommandGroup, useCommands } from './use-commands.ts';

/** The command palette: actions, pages, chats and models. */
export function Palette() {
  const { overlay, show } = useShell();
  return (
    <Dialog.Root open={overlay === 'palette'} onOpenChange={(open) => show(open ? 'palette' : null)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="now fixed inset-0 z-40 bg-scrim" />
        <Dialog.Popup className="now fixed inset-x-3 top-[14vh] z-40 mx-auto flex max-h-[480px] max-w-[600px] flex-col overflow-hidden rounded-dialog border border-line bg-raised shadow-modal">
          <Dialog.Title className="sr-only">{text.paletteTitle}</Dialog.Title>
          <PaletteSearch onDone={() => show(null)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteSearch({ onDone }: { onDone: () => void }) {
  const [query, setQuery] = useState('');
  const groups = useCommands(query);
  return (
    <Autocomplete.Root
      inline
      open
      mode="none"
      items={groups}
      filter={null}
      itemToStringValue={(command: Command) => command.label}
      value={query}
      onValueChange={(value, { reason }) => reason !== 'item-press' && setQuery(value)}
      autoHighlight="always"
      keepHighlight
    >
      <div className="flex h-12 shrink-0 items-center gap-3 border-line border-b px-4">
        <Search size={16} className="shrink-0 text-fg-3" aria-hidden />
        <Autocomplete.Input
          aria-label={text.palette}
          placeholder={text.palette}
          className="h-full w-full min-w-0 flex-1 bg-transparent text-md focus-visible:outline-none"
        />
        <Keys keys="Esc" />
      </div>
      <Autocomplete.Empty>
        <p className="py-8 text-center text-fg-2">{groups.length === 0 && text.nothing}</p>
      </Autocomplete.Empty>
      <Autocomplete.List className="min-h-0 flex-1 overflow-y-auto p-1.5">
        {(group: CommandGroup) => (
          <Autocomplete.Group key={group.value} items={group.items}>
            <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 font-medium text-fg-3 text-xs">
              {group.value}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(command: Command) => (
                <Autocomplete.Item
                  key={command.id}
                  value={command}
                  onClick={() => {
                    onDone();
                    command.run();
                  }}
                  className="flex h-9 items-center gap-2.5 rounded-control px-2.5 text-sm outline-none select-none data-highlighted:bg-active"
                >
                  <command.icon size={16} strokeWidth={1.75} className="shrink-0 text-fg-2" aria-hidden />
                  <span className="min-w-0 flex-1 truncate">{command.label}</span>
                  {command.keys && <Keys keys={command.keys} />}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}
