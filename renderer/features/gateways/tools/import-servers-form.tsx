import { useState } from 'react';
import { describeError, getSentence } from '../../../text/error-text.ts';
import { text } from '../../../text/tools-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Form } from '../../../ui/forms/form.tsx';
import { TextArea } from '../../../ui/forms/text-area.tsx';
import { useToolCalls } from './use-tools.ts';

const words = text.importing;

/** Imports servers from another program’s settings and shows the result. */
export function ImportServersForm({ onDone }: { onDone: () => void }) {
  const [json, setJson] = useState('');
  const { import: read } = useToolCalls();
  const failure = read.isError ? describeError(read.error) : undefined;
  if (read.data) {
    return (
      <>
        <p role="status">{words.added(read.data.added.length)}</p>
        {read.data.leftOut.length > 0 && (
          <>
            <p className="mt-2 text-fg-2">{words.leftOut}</p>
            <ul className="list-disc pl-5 text-fg-2">
              {read.data.leftOut.map(({ name, reason }) => (
                <li key={name} className="wrap-anywhere">{`${name}: ${getSentence(reason)}`}</li>
              ))}
            </ul>
          </>
        )}
        <div className="mt-4 flex justify-end">
          <Button variant="primary" autoFocus onClick={onDone}>
            {words.done}
          </Button>
        </div>
      </>
    );
  }
  return (
    <Form
      saveLabel={words.act}
      cancelLabel={text.cancel}
      ready={json.trim() !== ''}
      busy={read.isPending}
      failure={failure && `${failure.sentence} ${failure.remedy}`}
      onSave={() => read.mutate(json, { onSuccess: () => setJson('') })}
      onCancel={onDone}
    >
      <TextArea
        label={words.json}
        note={words.note}
        autoFocus
        spellCheck={false}
        rows={8}
        value={json}
        onChange={(event) => setJson(event.target.value)}
      />
    </Form>
  );
}
