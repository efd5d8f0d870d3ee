export { default } from '../../jest.config.base.mjs';
