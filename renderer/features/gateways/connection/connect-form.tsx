import { useEffect, useState } from 'react';
import { refusalIn } from '#shared/errors.ts';
import { useGatewayAccountCalls } from '../../../api/use-gateway-accounts.ts';
import { useLinks } from '../../../navigation/links.ts';
import { connectionText as words } from '../../../text/connection-text.ts';
import { describeError } from '../../../text/error-text.ts';
import { text } from '../../../text/settings-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { unfinishedForms } from '../../../ui/forms/unfinished-forms.ts';
import { useRemedy } from '../../../ui/notices/remedy.tsx';

const drafts = unfinishedForms<{ readonly baseUrl: string; readonly name: string }>();
const draftName = 'new';

/** True if the form was left before it was saved. */
export const isConnectFormLeft = (): boolean => drafts.isLeft(draftName);

/**
 * The form that adds an account at a remote gateway. A link from outside may fill in its address. The credential is
 * never stored in the page.
 */
export function ConnectForm({ onDone, onCancel }: { onDone: () => void; onCancel?: () => void }) {
  const offered = useLinks(({ gateway }) => gateway);
  const form = drafts.useUnfinished(draftName, { baseUrl: '', name: '' });
  const { baseUrl, name } = form.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what the link offered on the way here
  useEffect(() => {
    if (offered === null) return;
    form.change({ baseUrl: offered, name });
    useLinks.setState({ gateway: null });
  }, []);
  const [key, setKey] = useState('');
  const { add } = useGatewayAccountCalls();
  const failure = add.isError ? describeError(add.error) : null;
  const remedy = useRemedy(failure);
  const { error } = add;
  const isConnected = error && 'data' in error && refusalIn(error.data)?.name === 'accountConnected';
  const complete = /^https?:\/\/./.test(baseUrl.trim()) && key.trim().length >= 8;
  // The form shows why it was refused.
  const connect = (replace: boolean) => {
    const account = { name: name.trim() || null, baseUrl: baseUrl.trim(), key: key.trim(), replace };
    return form.finishAfter(add.mutateAsync(account)).then(onDone, () => {});
  };
  return (
    <form
      aria-label={words.addTitle}
      className="mt-4 flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete) void connect(false);
      }}
    >
      <div>
        <h4 className="font-semibold">{words.addTitle}</h4>
        <p className="text-fg-2">{words.addNote}</p>
      </div>
      <TextField
        label={text.gateway.baseUrl}
        type="url"
        placeholder="https://gateway.example.com"
        value={baseUrl}
        onChange={(event) => form.change({ baseUrl: event.target.value, name })}
      />
      <TextField
        label={words.credential}
        type="password"
        value={key}
        problem={failure ? `${failure.sentence} ${remedy}` : undefined}
        onChange={(event) => setKey(event.target.value)}
      />
      <TextField
        label={words.optionalName}
        note={words.nameNote}
        value={name}
        maxLength={60}
        onChange={(event) => form.change({ baseUrl, name: event.target.value })}
      />
      <div className="flex gap-2">
        <Button variant="primary" type="submit" disabled={!complete || add.isPending}>
          {add.isPending ? text.gateway.connecting : text.gateway.connect}
        </Button>
        {isConnected && (
          <Button disabled={!complete || add.isPending} onClick={() => void connect(true)}>
            {words.replace}
          </Button>
        )}
        {onCancel && <Button onClick={form.giveUp(onCancel)}>{words.cancel}</Button>}
      </div>
    </form>
  );
}
