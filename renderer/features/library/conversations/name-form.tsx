import { useState } from 'react';
import { text } from '../../../text/conversations-text.ts';
import { describeError } from '../../../text/error-text.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';

interface NameFormProps {
  label: string;
  initial: string;
  maxLength: number;
  onSave: (name: string) => Promise<unknown>;
  onDone: () => void;
}

/** A form with one name. An error of the core is shown at the field. */
export function NameForm({ label, initial, maxLength, onSave, onDone }: NameFormProps) {
  const [name, setName] = useState(initial);
  const [problem, setProblem] = useState<string>();
  const [saving, setSaving] = useState(false);
  const save = () => {
    setSaving(true);
    onSave(name.trim()).then(onDone, (error: unknown) => {
      setSaving(false);
      setProblem(describeError(error).sentence);
    });
  };
  return (
    <Form
      saveLabel={text.save}
      cancelLabel={text.cancel}
      ready={name.trim() !== ''}
      busy={saving}
      onSave={save}
      onCancel={onDone}
    >
      <TextField
        label={label}
        value={name}
        maxLength={maxLength}
        problem={problem}
        autoFocus
        onFocus={(event) => event.target.select()}
        onChange={(event) => setName(event.target.value)}
      />
    </Form>
  );
}
