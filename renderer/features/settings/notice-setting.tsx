import { useState } from 'react';
import type { Settings } from '#shared/contract/app/settings.ts';
import { text } from '../../text/settings-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { Segmented } from '../../ui/forms/segmented.tsx';
import { SettingRow } from '../../ui/forms/setting-row.tsx';

const { chat } = text;
const choices = (['off', 'plain', 'titled'] as const).map((value) => ({ value, label: chat.notices[value] }));

interface NoticeSettingProps {
  value: Settings['notifications'];
  onChange: (value: Settings['notifications']) => void;
  /** True if the page itself shows notifications, which needs the browser's permission. */
  byPage: boolean;
}

/** When to notify about completed answers, and whether the browser allows it. */
export function NoticeSetting({ value, onChange, byPage }: NoticeSettingProps) {
  const [permission, setPermission] = useState(() =>
    byPage && 'Notification' in window ? Notification.permission : 'granted',
  );
  const ask = async () => setPermission(await Notification.requestPermission());
  const notes = { denied: chat.noticesDenied, default: chat.noticesUnasked, granted: chat.notificationsNote };
  return (
    <SettingRow name={chat.notifications} note={value === 'off' ? chat.notificationsNote : notes[permission]}>
      {permission === 'default' && value !== 'off' && <Button onClick={() => void ask()}>{chat.allowNotices}</Button>}
      <Segmented
        label={chat.notifications}
        value={value}
        options={choices}
        onChange={(next) => {
          onChange(next);
          if (next !== 'off' && permission === 'default') void ask();
        }}
      />
    </SettingRow>
  );
}
