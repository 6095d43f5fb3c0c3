/**
 * Posts the same body over and over, so many at a time: the bare comparison for webhook deliveries. No row is read, no
 * signature made, no attempt written down.
 */
import { answerJobs } from "../part.ts";

export interface PostJob {
  url: string;
  body: string;
  count: number;
  concurrency: number;
}

answerJobs<PostJob>(0, async ({ url, body, count, concurrency }) => {
  let left = count;
  const post = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      await answer.text();
      if (!answer.ok) throw new Error(`the receiver answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, post));
  return null;
});
