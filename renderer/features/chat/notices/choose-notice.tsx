import { compareText } from '../../../text/compare-text.ts';
import { composerText } from '../../../text/composer-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import type { ThreadItem } from '../state/thread-items.ts';
import { NoticeRow } from './notice-row.tsx';

interface ChooseNoticeProps {
  columns: readonly ThreadItem[];
  /** The next message can go to all of them. */
  toAll: boolean;
  choose: (column: ThreadItem) => void;
}

/** Shown while a thread ends in a comparison without a chosen column. */
export function ChooseNotice({ columns, toAll, choose }: ChooseNoticeProps) {
  return (
    <NoticeRow
      tone="info"
      actions={columns
        .filter(({ status }) => status !== 'streaming')
        .map((column) => (
          <Button
            key={column.id}
            aria-label={compareText.goOnWith(getName(column, columns))}
            onClick={() => choose(column)}
          >
            {getName(column, columns)}
          </Button>
        ))}
    >
      {toAll ? compareText.toAll(columns.length) : compareText.choose}
    </NoticeRow>
  );
}

/** Returns the name of a column. Auto may have chosen the model of another column; its own column is then marked. */
function getName({ model, modelName }: ThreadItem, columns: readonly ThreadItem[]): string {
  const name = modelName ?? composerText.model;
  const alike = columns.filter((column) => column.modelName === modelName).length > 1;
  return model === 'router' && alike ? compareText.byAuto(name) : name;
}
