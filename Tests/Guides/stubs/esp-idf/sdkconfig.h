/* SPDX-License-Identifier: Apache-2.0 */
/* ESP-IDF's build writes this; here the compiler is given what configuration.py prints. */
