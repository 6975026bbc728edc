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

package node

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// criTimeout bounds one call.
const criTimeout = 5 * time.Second

// RuntimeVersion asks the runtime behind the socket for its name and version, as a Node's status shows it. It
// succeeds only when the runtime's image service answers too.
func RuntimeVersion(ctx context.Context, socket string) (string, error) {
	var version string
	err := withCRI(ctx, socket, func(ctx context.Context, conn *grpc.ClientConn) error {
		reply, err := cri.NewRuntimeServiceClient(conn).Version(ctx, &cri.VersionRequest{})
		if err != nil {
			return err
		}
		version = reply.RuntimeName + "://" + reply.RuntimeVersion
		_, err = cri.NewImageServiceClient(conn).ListImages(ctx, &cri.ListImagesRequest{})
		return err
	})
	return version, err
}

// Images lists the images in the node behind the socket.
func Images(ctx context.Context, socket string) ([]*cri.Image, error) {
	var images []*cri.Image
	err := withCRI(ctx, socket, func(ctx context.Context, conn *grpc.ClientConn) error {
		reply, err := cri.NewImageServiceClient(conn).ListImages(ctx, &cri.ListImagesRequest{})
		if err == nil {
			images = reply.Images
		}
		return err
	})
	return images, err
}

func withCRI(ctx context.Context, socket string, call func(context.Context, *grpc.ClientConn) error) error {
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("connect to %s: %w", socket, err)
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(ctx, criTimeout)
	defer cancel()
	if err := call(ctx, conn); err != nil {
		return fmt.Errorf("ask the container runtime at %s: %w", socket, err)
	}
	return nil
}
