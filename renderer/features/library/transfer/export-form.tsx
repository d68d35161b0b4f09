import { useEffect, useState } from 'react';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import type { SavedFormat } from '#shared/contract/chat/transfer.ts';
import { exportedText, text } from '../../../text/transfer-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useExport } from './use-export.ts';

const formats = (['markdown', 'html', 'pdf', 'portico', 'json'] as const).map((value) => ({
  value,
  label: text.formats[value],
}));

/** The form that chooses the format of an export. */
export function ExportForm({ conversations, onDone }: { conversations: readonly Conversation[]; onDone: () => void }) {
  const [format, setFormat] = useState<SavedFormat>('markdown');
  const exporting = useExport();
  const { giveUp } = exporting;
  // Closing the form cancels the export.
  useEffect(() => giveUp, [giveUp]);
  const { inform, failed } = useNotify();
  const name = conversations.length === 1 ? (conversations[0]?.title ?? '') : text.exportMany(conversations.length);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        exporting.mutate(
          { ids: conversations.map((conversation) => conversation.id), format, name },
          {
            onSuccess: (exported) => {
              if (exported.as === 'nothing') return;
              onDone();
              inform(exportedText(exported));
            },
            onError: (error) => failed(text.exportFailed, error),
          },
        );
      }}
    >
      <Segmented label={text.format} value={format} options={formats} onChange={setFormat} />
      <p className="mt-2 min-h-10 text-fg-2">
        {format === 'pdf' && !exporting.saveDialog ? text.printNote : text.notes[format]}
      </p>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>{text.cancel}</Button>
        <Button variant="primary" type="submit" disabled={exporting.isPending}>
          {exporting.isPending ? text.exporting : text.export}
        </Button>
      </div>
    </form>
  );
}
