import { useState } from 'react';
import type { ToolServer } from '#shared/contract/app/tools.ts';
import { describeError } from '../../../text/error-text.ts';
import { text } from '../../../text/tools-text.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { TextArea } from '../../../ui/forms/text-area.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { SecretFields } from './secret-fields.tsx';
import { getDraft, isUrl, type ServerDraft, transportIn } from './server-draft.ts';
import { useToolCalls } from './use-tools.ts';

const { form } = text;
const kinds = (['stdio', 'http'] as const).map((value) => ({ value, label: form.kinds[value] }));

/** Edits a server’s transport. Saving starts nothing. */
export function ServerForm({ server, onDone }: { server: ToolServer | null; onDone: () => void }) {
  const [draft, setDraft] = useState(() => getDraft(server));
  const { save } = useToolCalls();
  const change = (part: Partial<ServerDraft>) => setDraft({ ...draft, ...part });
  const transport = transportIn(draft, server);
  const keep = () =>
    transport && save.mutate({ id: server?.id ?? null, name: draft.name.trim(), transport }, { onSuccess: onDone });
  const failure = save.isError ? describeError(save.error) : undefined;
  return (
    <Form
      saveLabel={form.save}
      cancelLabel={text.cancel}
      ready={transport !== null && draft.name.trim() !== ''}
      busy={save.isPending}
      failure={failure && `${failure.sentence} ${failure.remedy}`}
      onSave={keep}
      onCancel={onDone}
    >
      <TextField
        label={form.name}
        value={draft.name}
        maxLength={80}
        autoFocus
        onChange={(event) => change({ name: event.target.value })}
      />
      <div>
        <Segmented label={form.kind} value={draft.type} options={kinds} onChange={(type) => change({ type })} />
      </div>
      {draft.type === 'stdio' ? (
        <ProgramFields draft={draft} change={change} />
      ) : (
        <TextField
          label={form.url}
          type="url"
          value={draft.url}
          problem={draft.url.trim() !== '' && !isUrl(draft.url) ? form.badUrl : undefined}
          onChange={(event) => change({ url: event.target.value })}
        />
      )}
      <SecretFields draft={draft} onChange={(rows) => change({ secrets: { ...draft.secrets, [draft.type]: rows } })} />
      {server && <Notice>{form.editNote}</Notice>}
    </Form>
  );
}

function ProgramFields({ draft, change }: { draft: ServerDraft; change: (part: Partial<ServerDraft>) => void }) {
  return (
    <>
      <TextField
        label={form.command}
        value={draft.command}
        maxLength={1024}
        onChange={(event) => change({ command: event.target.value })}
      />
      <TextArea
        label={form.args}
        note={form.argsNote}
        spellCheck={false}
        value={draft.args}
        onChange={(event) => change({ args: event.target.value })}
      />
      <TextField
        label={form.folder}
        note={form.folderNote}
        value={draft.folder}
        maxLength={1024}
        onChange={(event) => change({ folder: event.target.value })}
      />
    </>
  );
}
