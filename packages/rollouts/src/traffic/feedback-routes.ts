// Makes the REST route by which clients send users' feedback on a served model's answers.
import { BadRequestError, openaiError, type Protocol } from '@bowyer/serving';
import { answerOf } from '../endpoint/rollout-routes.js';
import { RolloutBody } from '../endpoint/rollout-body.js';
import type { TrafficRecorder } from './traffic-recorder.js';

const THUMBS: Readonly<Record<string, number>> = { up: 1, down: 0 };

/** Returns the route for feedback, which names the answer by the id in the model's response, whatever its protocol. */
export const feedbackRoutes = (recorder: TrafficRecorder): Protocol => ({
  errorBody: openaiError,
  routes: [
    {
      method: 'POST',
      path: '/v1/responses/{id}/feedback',
      respond: ({ parameters: { id }, body }) =>
        answerOf(async () => {
          const fields = new RolloutBody(await body(), ['thumbs', 'value', 'correction', 'choice']);
          const thumbs = fields.text('thumbs');
          if (thumbs !== undefined && !Object.hasOwn(THUMBS, thumbs))
            throw new BadRequestError("'thumbs' is 'up' or 'down'", 'thumbs');
          if (thumbs !== undefined && fields.has('value'))
            throw new BadRequestError("'thumbs' and 'value' say the same; leave one of them out", 'value');
          const value = thumbs === undefined ? undefined : THUMBS[thumbs];
          await recorder.feedback(id, {
            value: fields.has('value') ? fields.number('value') : value,
            correction: fields.textOrObject('correction'),
            choice: fields.count('choice'),
          });
          return { id };
        }),
    },
  ],
});
