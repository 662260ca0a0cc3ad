import { TEXTS } from '../texts.ts';
import { useLive } from './use-live.ts';

/** Follows the changes of others, and says so if that is not possible for a while. */
export function LiveNotice() {
  const state = useLive();
  return (
    <div role="status">
      {state === 'lost' && <p className="notice waiting">{TEXTS.frame.lost}</p>}
    </div>
  );
}
