/*
Copyright The ImageListPullJob Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

// Command registry is the image registry of the e2e suite as a program of its own, for clusters other than the local one. It listens until
// it is told to end (SIGTERM, SIGINT).
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/openkruise/imagelistpulljob/e2e/registry"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := command().ExecuteContext(ctx); err != nil {
		os.Exit(1)
	}
}

type options struct {
	listen    string
	images    []string
	accessLog string
}

func command() *cobra.Command {
	o := options{}
	cmd := &cobra.Command{
		Use:          "registry",
		Short:        "Serve generated images, and misbehave on demand, until told to end",
		Args:         cobra.NoArgs,
		SilenceUsage: true,
		RunE:         func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.listen, "listen", ":5000", "address to listen on, host:port; port 0 chooses a free one")
	flags.StringSliceVar(&o.images, "image", nil, "further image beside the default ones, NAME:TAG; may be repeated")
	flags.StringVar(&o.accessLog, "access-log", "", "file for a line of JSON per request, - for the standard output (default: none)")
	return cmd
}

func (o options) run(ctx context.Context, stdout io.Writer) error {
	accessLog, err := o.openAccessLog(stdout)
	if err != nil {
		return err
	}
	defer func() { _ = accessLog.Close() }()
	r, err := registry.Start(o.listen, accessLog)
	if err != nil {
		return err
	}
	defer func() { _ = r.Stop() }()
	images := append(append([]string{}, registry.DefaultImages...), o.images...)
	if err := r.Fill(ctx, images); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stdout, "The registry serves %d images on %s\n", len(images), r.Addr())
	<-ctx.Done()
	return nil
}

func (o options) openAccessLog(stdout io.Writer) (io.WriteCloser, error) {
	switch o.accessLog {
	case "":
		return nopCloser{io.Discard}, nil
	case "-":
		return nopCloser{stdout}, nil
	default:
		return os.OpenFile(o.accessLog, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
